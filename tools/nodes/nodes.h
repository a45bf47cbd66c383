#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/nodes/forked_links.h"
#include "scheduler/nodes/node_pool.h"
#include "search/problem.h"

namespace nightshift::tools {

// The nodes of the Slurm job in which this process runs, each with a step of its own.
inline constexpr const char* kNodesOfJob = "slurm";

// What --nodes means: kNodesOfJob; the commands of a file, one a line, where '#' begins a comment;
// or one command itself, known by its blank. Throws UsageError, SlurmError.
std::vector<scheduler::LinkCommand> link_commands(const std::string& nodes);

// The same for whoever goes on, in whatever folder: a file by its whole path.
std::string kept_list(const std::string& nodes);

// Where the nodes that `find` asks for are those of earlier, by nobody named this time, what goes
// wrong with them says how to have others. Throws what `find` does.
void on_nodes_of_earlier(const std::function<void()>& find);

struct NodesChoice {
  std::string list;  // as of link_commands(); empty: this machine
  double silence = scheduler::NodeTimes{}.silence.count();  // seconds
};

// The nodes of a run: their links and the pool over them. The constructor waits until the nodes
// have named the devices that they have for these problems. `wait` and `several` as of
// NodePool::Parts. Throws UsageError, DeviceError.
class Nodes {
 public:
  Nodes(const NodesChoice& choice,
        const std::vector<std::shared_ptr<const search::Problem>>& problems,
        std::optional<double> wait, bool several = false);

  scheduler::NodePool& pool() { return pool_; }

 private:
  scheduler::SystemClock clock_;
  scheduler::ForkedLinks links_;
  scheduler::NodePool pool_;
};

}  // namespace nightshift::tools
