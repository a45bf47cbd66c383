#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "problems/problem_table.h"

namespace nightshift::tools {

// Tables of keys (problems/problem_table.h), for people.

inline constexpr std::size_t kHelpWidth = 100;

// "[measure]", "[[cuda.argument]]", or "The file".
std::string header_of(const problems::ProblemTable& table);
// A line for each key: its default, what it may be and what it means.
std::string key_lines(const problems::ProblemTable& table);
// The same as a table in Markdown; `key` heads its first column.
std::string key_rows(const problems::ProblemTable& table, std::string_view key);
// A meaning in Markdown, in which what stands in backticks stays code.
std::string help_prose(std::string_view meaning);

}  // namespace nightshift::tools
