#pragma once

#include <vector>

#include "problems/problem_file_error.h"
#include "search/problem.h"

namespace nightshift::problems {

// The mistake of a file that names no backend, as one for `search --serve` does not.
inline constexpr const char* kNoBackend =
    "there is no backend; add one of [host], [cuda], [command] and [recorded]; where a program of "
    "your own measures, `nightshift search --serve` takes the file as it is";

// What a file says, as far as it can be understood.
struct ProblemReading {
  search::Problem problem;
  // Parameters and constraints of `problem` are those of the file, whatever is wrong with the rest.
  bool knows_space = false;
  std::vector<Diagnostic> mistakes = {};  // in the order of the file; empty: it can be tuned
};

}  // namespace nightshift::problems
