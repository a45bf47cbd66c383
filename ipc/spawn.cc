#include "ipc/spawn.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ipc/child/program_start.h"
#include "ipc/system_call.h"
#include "ipc/unique_fd.h"

namespace nightshift::ipc {

namespace {

std::vector<std::string> merged_environment(
    const std::vector<std::pair<std::string, std::string>>& additions) {
  std::vector<std::string> merged;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto name = text.substr(0, text.find('='));
    const bool replaced = std::any_of(additions.begin(), additions.end(),
                                      [&](const auto& addition) { return addition.first == name; });
    if (!replaced) merged.emplace_back(text);
  }
  for (const auto& [name, value] : additions) {
    merged.push_back(name);
    merged.back().append("=").append(value);
  }
  return merged;
}

// Where the program may be, as a shell that has this environment looks for it.
std::vector<std::string> paths_of(const std::string& program,
                                  const std::vector<std::string>& environment) {
  if (program.find('/') != std::string::npos) return {program};
  constexpr std::string_view kName = "PATH=";
  std::string_view rest = "/bin:/usr/bin";
  for (const std::string_view variable : environment) {
    if (variable.starts_with(kName)) rest = variable.substr(kName.size());
  }
  std::vector<std::string> paths;
  while (true) {
    const std::size_t end = rest.find(':');
    const std::string_view folder = rest.substr(0, end);
    paths.push_back((folder.empty() ? "." : std::string(folder)) + "/" + program);
    if (end == std::string_view::npos) return paths;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace

pid_t start_program(const SpawnOptions& options, int standard_output, int standard_error) {
  std::vector<std::pair<int, int>> wanted = options.descriptors;
  if (options.standard_input >= 0) wanted.emplace_back(options.standard_input, 0);
  wanted.emplace_back(standard_output, 1);
  wanted.emplace_back(standard_error, 2);

  ProgramStart program;
  for (const auto& [ours, theirs] : wanted) program.beyond = std::max(program.beyond, theirs + 1);
  // Every source is first moved beyond all targets, so that no dup2 overwrites one that is still
  // needed.
  std::vector<UniqueFd> sources;
  for (const auto& [ours, theirs] : wanted) {
    sources.emplace_back(::fcntl(ours, F_DUPFD_CLOEXEC, program.beyond));
    if (!sources.back()) throw_errno("duplicating a descriptor for '" + options.program + "'");
    program.descriptors.emplace_back(sources.back().get(), theirs);
  }
  program.arguments = {options.program};
  program.arguments.insert(program.arguments.end(), options.arguments.begin(),
                           options.arguments.end());
  program.environment = merged_environment(options.environment);
  program.paths = paths_of(options.program, program.environment);
  program.directory = options.directory;
  program.new_session = options.new_session;
  program.own_memory = options.own_memory;
  program.limits = options.limits;
  return start(program);
}

}  // namespace nightshift::ipc
