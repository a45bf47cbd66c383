#include "tools/nodes/nodes.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "scheduler/errors.h"
#include "tools/evaluator_program.h"
#include "tools/nodes/node_files.h"
#include "tools/slurm/agent_steps.h"
#include "tools/slurm/slurm_programs.h"
#include "tools/text/status_line.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

std::string trimmed(const std::string& line) {
  const std::string text = line.substr(0, line.find('#'));
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<scheduler::LinkCommand> steps_of_job() {
  const char* list = std::getenv("SLURM_JOB_NODELIST");
  if (list == nullptr) {
    throw UsageError(
        "--nodes slurm: this is no Slurm job; `nightshift submit --nodes 2-4` makes "
        "one of several nodes, and `salloc` too");
  }
  const std::string program = fs::read_symlink("/proc/self/exe").string();
  std::vector<scheduler::LinkCommand> steps;
  for (const std::string& node : host_names(list)) {
    steps.push_back({node, agent_step(node, program)});
  }
  if (steps.empty()) throw UsageError(std::string("--nodes slurm: the job has no node in ") + list);
  return steps;
}

scheduler::NodeTimes times_of(const NodesChoice& choice) {
  scheduler::NodeTimes times;
  times.silence = scheduler::NodeTimes::Seconds(choice.silence);
  return times;
}

}  // namespace

std::vector<scheduler::LinkCommand> link_commands(const std::string& nodes) {
  if (nodes == kNodesOfJob) return steps_of_job();
  if (!fs::is_regular_file(nodes)) {
    if (nodes.find(' ') != std::string::npos) return {{nodes, nodes}};
    throw UsageError("--nodes " + nodes +
                     ": there is no such file; it has a command a line that starts an agent, such "
                     "as `ssh node7 nightshift agent`");
  }
  std::vector<scheduler::LinkCommand> commands;
  std::ifstream file(nodes);
  for (std::string line; std::getline(file, line);) {
    if (std::string command = trimmed(line); !command.empty()) {
      commands.push_back({command, command});
    }
  }
  if (commands.empty()) throw UsageError("--nodes " + nodes + ": the file names no node");
  return commands;
}

std::string kept_list(const std::string& nodes) {
  if (nodes.empty() || nodes == kNodesOfJob || !fs::is_regular_file(nodes)) return nodes;
  return fs::absolute(nodes).lexically_normal().string();
}

void on_nodes_of_earlier(const std::function<void()>& find) {
  constexpr const char* kOtherPlaces =
      "\nit was measured on these nodes; --nodes or --devices lets it go on elsewhere";
  try {
    find();
  } catch (const UsageError& error) {
    throw UsageError(std::string(error.what()) + kOtherPlaces);
  } catch (const scheduler::DeviceError& error) {
    throw scheduler::DeviceError(std::string(error.what()) + kOtherPlaces);
  }
}

Nodes::Nodes(const NodesChoice& choice,
             const std::vector<std::shared_ptr<const search::Problem>>& problems,
             std::optional<double> wait, bool several)
    : links_(link_commands(choice.list), evaluator_program()),
      pool_({links_, clock_, portable, times_of(choice), several, wait,
             [](const std::string& text) { warn({text}); }}) {
  pool_.gather(problems);
}

}  // namespace nightshift::tools
