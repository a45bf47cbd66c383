#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include "scheduler/clock.h"
#include "scheduler/worker_pool.h"

namespace nightshift::scheduler {

// The lines to and from the agents of several nodes, whatever carries them. Nodes are numbered from
// 0. Opening and sending never wait; what goes wrong is reported as Closed.
class NodeLinks {
 public:
  virtual ~NodeLinks() = default;

  virtual std::size_t count() const = 0;
  virtual std::string name(std::size_t node) const = 0;  // for people

  virtual void open(std::size_t node) = 0;
  // Needs an open link; does nothing where it has closed unheard.
  virtual void send(std::size_t node, std::string line) = 0;
  // It ends with all that it has started; Closed does not follow.
  virtual void close(std::size_t node) = 0;

  struct Line {
    std::size_t node = 0;
    std::string text;  // without its newline
  };
  struct Closed {
    std::size_t node = 0;
    std::string why;  // one sentence
  };
  struct Quiet {};
  // PoolEvent: a signal to this process.
  using Event = std::variant<Quiet, Line, Closed, PoolEvent>;
  // Quiet at the deadline.
  virtual Event wait(std::optional<Clock::TimePoint> deadline) = 0;
};

}  // namespace nightshift::scheduler
