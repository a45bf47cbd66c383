#include "tools/run/nodes.h"

#include <filesystem>
#include <fstream>

#include "tools/run/node_files.h"
#include "tools/run/pool_parts.h"
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

}  // namespace

std::vector<std::string> link_commands(const std::string& nodes) {
  if (!fs::is_regular_file(nodes)) {
    if (nodes.find(' ') != std::string::npos) return {nodes};
    throw UsageError("--nodes " + nodes +
                     ": there is no such file; it has a command a line that starts an agent, such "
                     "as `ssh node7 nightshift agent`");
  }
  std::vector<std::string> commands;
  std::ifstream file(nodes);
  for (std::string line; std::getline(file, line);) {
    if (std::string command = trimmed(line); !command.empty()) {
      commands.push_back(std::move(command));
    }
  }
  if (commands.empty()) throw UsageError("--nodes " + nodes + ": the file names no node");
  return commands;
}

Nodes::Nodes(const std::string& nodes,
             const std::vector<std::shared_ptr<const search::Problem>>& problems, bool joining)
    : links_(link_commands(nodes), fs::path(evaluator_program()).parent_path().string()),
      pool_({links_, clock_, portable, {}, joining}) {
  pool_.gather(problems);
}

}  // namespace nightshift::tools
