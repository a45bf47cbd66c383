#include <cstdio>

#include "tools/cli/argument_parser.h"
#include "tools/command_table.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
For scripts and the completion of a shell.

Examples:
  nightshift commands
  nightshift commands | grep -x report && echo known)";

struct CommandsOptions {};

void declare(ArgumentParser&, CommandsOptions&) {}

ExitCode run(const CommandsOptions&) {
  for (const Command& command : command_table()) std::printf("%s\n", command.name.c_str());
  return ExitCode::kSuccess;
}

}  // namespace

Command commands_command() {
  return make_command<CommandsOptions>("commands", "Print the names of all commands, one a line",
                                       kEpilogue, declare, run);
}

}  // namespace nightshift::tools
