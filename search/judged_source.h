#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "search/problem.h"

namespace nightshift::search {

// The macro that says whose source is compiled: 0 is the problem's own.
inline constexpr const char* kCandidateParameter = "NIGHTSHIFT_CANDIDATE";

// A source that includes one of several kernels, as kCandidateParameter says, each in place of the
// problem's own: same functions, same arguments, launched or called as the baseline is.
struct JudgedSource {
  std::string file;  // absolute
  std::int64_t opponent = 0, candidate = 1;
  std::vector<std::string> folders;  // where the included ones find theirs; absolute
};

// Makes the problem one of two configurations: the baseline is the opponent, the other one the
// candidate, and every parameter of the problem keeps its baseline's value. Where the baseline of a
// [host] problem is a source of its own it is the opponent 0. What is known of other configurations
// (starts, canary, expected cost) is left out. False where the backend compiles no source: then
// nothing is changed.
bool set_judged_source(Problem& problem, const JudgedSource& judged);

}  // namespace nightshift::search
