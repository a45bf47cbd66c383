#pragma once

#include "problems/problem_table.h"

namespace nightshift::problems {

// The tables of what is tuned, one of which a problem has.
const ProblemTable* host_keys();
const ProblemTable* cuda_keys();
const ProblemTable* command_keys();
const ProblemTable* recorded_keys();
// The file that describes a problem in place of those.
const ProblemTable* python_keys();

}  // namespace nightshift::problems
