#pragma once

#include <string>
#include <vector>

#include "problems/problem_file.h"
#include "search/problem.h"

namespace nightshift::tools {

// Two programs that are compared as they stand, and the figure that counts.
struct TwoCommands {
  std::vector<std::string> first, second;  // program and arguments
  std::string figure;  // member of the last line that is a JSON object; empty = not asked for
  std::string regex;   // its first group is the figure; empty = not asked for
  std::string unit;    // empty = ms of wall time, none of another figure
  bool higher_is_better = false;
  bool lower_is_better = false;  // said; where neither is, a figure that is a rate is refused
};

// The problem that they are: a space of one configuration, which is the second program; the first
// is the baseline. Each evaluation runs its program once, on all cores. What is not settled
// here can be set by `overrides`, e.g. limits.measure or command.runs. Throws ProblemFileError.
search::Problem problem_of(const TwoCommands& commands,
                           const std::vector<problems::Override>& overrides);

// The words as one would type them into a shell.
std::string shell_text(const std::vector<std::string>& words);

}  // namespace nightshift::tools
