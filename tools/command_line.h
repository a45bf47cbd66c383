#pragma once

#include <string>
#include <string_view>
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

// "10m", "90s", "1.5h", "1h30m" limit the time, "400t" the number of configurations; the limit
// replaces the other one's. Throws UsageError.
std::vector<kernels::Override> budget_overrides(std::string_view text);

}  // namespace nightshift::tools
