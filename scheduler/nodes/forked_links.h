#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "ipc/child_process.h"
#include "ipc/line_buffer.h"
#include "ipc/poller.h"
#include "ipc/unique_fd.h"
#include "scheduler/nodes/node_links.h"
#include "scheduler/pool/pool_signals.h"
#include "scheduler/pool/warden_keeper.h"

namespace nightshift::scheduler {

// What a shell runs to reach the agent of a node.
struct LinkCommand {
  std::string name;  // of the node, for people
  std::string command;
};

// Links that are commands: each is run by a shell as a child of this process, and its standard
// input and output carry the lines. `nightshift agent` on this machine is such a command, and so is
// what starts one elsewhere (ssh, srun).
//
// A link that is closed ends by the end of its input; what has not ended after some seconds is
// killed. The same holds where this process is killed, since a warden sees to it. Stop signals of
// this process are reported from wait().
class ForkedLinks final : public NodeLinks {
 public:
  // Programs are looked for in the folder of ours first. Throws std::system_error.
  ForkedLinks(std::vector<LinkCommand> commands, const std::string& evaluator_program);
  ~ForkedLinks() override;

  std::size_t count() const override { return links_.size(); }
  std::string name(std::size_t node) const override { return links_[node].at.name; }
  void open(std::size_t node) override;
  void send(std::size_t node, std::string line) override;
  void close(std::size_t node) override;
  Event wait(std::optional<Clock::TimePoint> deadline) override;

 private:
  struct Link {
    LinkCommand at;
    ipc::ChildProcess child = {};
    ipc::UniqueFd to = {}, from = {};
    ipc::LineBuffer lines = {};
    std::string unsent = {};
    bool watched = false;  // for room to write
  };

  void start(Link& link, std::size_t node);
  void read(std::size_t node);
  void write(std::size_t node);
  void end_input(std::size_t node);
  void closed(std::size_t node, const std::string& why);

  const std::string folder_, mark_;
  PoolSignals signals_;
  ipc::Poller poller_;
  std::optional<WardenKeeper> warden_;
  std::vector<Link> links_;
  std::deque<Event> events_;
};

}  // namespace nightshift::scheduler
