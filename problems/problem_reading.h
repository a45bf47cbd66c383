#pragma once

#include <vector>

#include "problems/problem_file_error.h"
#include "search/problem.h"

namespace nightshift::problems {

// What a file says, as far as it can be understood.
struct ProblemReading {
  search::Problem problem;
  // Parameters and constraints of `problem` are those of the file, whatever is wrong with the rest.
  bool knows_space = false;
  std::vector<Diagnostic> mistakes = {};  // in the order of the file; empty: it can be tuned
};

}  // namespace nightshift::problems
