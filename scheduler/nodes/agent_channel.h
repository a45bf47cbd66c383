#pragma once

#include <optional>
#include <string>

#include "ipc/line_buffer.h"
#include "ipc/unique_fd.h"
#include "scheduler/clock.h"

namespace nightshift::scheduler {

// Standard input and output of an agent as a line to its head. Standard output is moved away at
// once, and what anybody else prints there goes to standard error: one stray word would break a
// line.
class AgentChannel {
 public:
  AgentChannel();  // throws std::system_error

  int input() const;  // a descriptor that is readable when there is something to read
  bool is_open() const { return open_; }

  // Takes in what has come, waiting until `deadline` at the latest. Throws LineError for a line
  // that is too long.
  void read(Clock::TimePoint deadline);
  std::optional<std::string> next_line() { return lines_.next_line(); }
  // In one write, as far as there is room. A head that takes nothing in until `deadline` is gone.
  void send(const std::string& line, Clock::TimePoint deadline);

 private:
  ipc::UniqueFd output_;
  ipc::LineBuffer lines_;
  bool open_ = true;
};

}  // namespace nightshift::scheduler
