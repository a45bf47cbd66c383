#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tools/commands.h"

namespace nightshift::tools {

// The command line was answered by itself: help, version, or what is wrong with it.
struct Answer {
  ExitCode code = ExitCode::kSuccess;
  std::string text;  // to standard output for kSuccess, else to standard error
};

// `arguments` are those after the program's name. Every mistake is named, not only the first.
std::variant<Command, Answer> parse_command_line(const std::vector<std::string>& arguments);

}  // namespace nightshift::tools
