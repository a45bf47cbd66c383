#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "search/problem.h"

namespace nightshift::problems {

// The macro that says whose source is compiled: 0 is the problem's own.
inline constexpr const char* kCandidateParameter = "NIGHTSHIFT_CANDIDATE";

// Whose folder of candidates a served program is told by its environment: each has a folder there,
// called by its number, whose files stand in place of the program's own. kCandidateParameter stands
// in its configurations.
inline constexpr const char* kCandidatesVariable = "NIGHTSHIFT_CANDIDATES";

struct JudgedSource {
  // Absolute. Of [host] and [cuda] a source that includes one of several kernels, as the macro
  // says, each in place of the problem's own: same functions, same arguments, launched or called as
  // the baseline is. Of [command] a folder with a folder for each, called by its number: where that
  // one's program is built and started, or as kCandidatesVariable says.
  std::string source;
  std::int64_t opponent = 0, candidate = 1;
  std::vector<std::string> folders;  // where the included ones find theirs; absolute
};

// Whose source such a file includes, of its text and what a compiler is given: the one of -D that
// candidate, or the problem's own. Empty where the compiler is given none.
std::string included_source(std::string_view text, const std::vector<std::string>& options);

// Makes the problem one of two configurations: the baseline is the opponent, and the candidate is
// all that is explored; every parameter of the problem keeps its baseline's value. Where the
// baseline of a [host] problem is a source of its own, or that of a [command] problem another
// program, it is the opponent 0. What is known of other configurations (starts, canary, expected
// cost) is left out. False for a recording: then nothing is changed.
bool set_judged_source(search::Problem& problem, const JudgedSource& judged);

}  // namespace nightshift::problems
