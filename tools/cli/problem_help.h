#pragma once

#include <string>

namespace nightshift::tools {

// What may stand in a problem file (problems/problem_keys.h), for people. `table` is one of its
// tables, "measure" or "[measure]"; empty: all. Throws UsageError where there is no such table.
std::string problem_help(const std::string& table);
// All of them as one page in Markdown: docs/keys.md.
std::string problem_reference();

}  // namespace nightshift::tools
