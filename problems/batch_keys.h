#pragma once

#include "problems/problem_table.h"

namespace nightshift::problems {

// Every key of a batch file, with type, bounds and meaning.
const ProblemTable& batch_file_keys();

}  // namespace nightshift::problems
