#pragma once

#include <string>

namespace nightshift::tools {

// The searchers and their options (problems/problem_keys.h), for people. `searcher` is the name of
// one; empty: all. Throws UsageError where there is none of that name.
std::string searcher_help(const std::string& searcher);
// All of them as one page in Markdown: docs/searchers.md.
std::string searcher_reference();

}  // namespace nightshift::tools
