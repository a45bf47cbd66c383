#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tools/cli/command.h"
#include "tools/cli/command_shape.h"

namespace nightshift::tools {

// The command line was answered by itself: help, version, or what is wrong with it.
struct Answer {
  ExitCode code = ExitCode::kSuccess;
  std::string text;  // to standard output for kSuccess, else to standard error
};

// `arguments` are those after the program's name. Every mistake is named, not only the first.
// `commands` are those at the top.
std::variant<Invocation, Answer> parse_command_line(const std::vector<Command>& commands,
                                                    const std::vector<std::string>& arguments);
// With those of command_table.h.
std::variant<Invocation, Answer> parse_command_line(const std::vector<std::string>& arguments);

// All commands of command_table.h with their options.
CommandShape program_shape();

// Prints it where it belongs.
ExitCode print(const Answer& answer);

}  // namespace nightshift::tools
