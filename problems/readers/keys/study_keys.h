#pragma once

#include "problems/problem_table.h"

namespace nightshift::problems {

// The tables about the study rather than the problem.
const ProblemTable* measure_keys();
const ProblemTable* limits_keys();
const ProblemTable* budget_keys();
const ProblemTable* search_keys();
const ProblemTable* schedule_keys();
const ProblemTable* acceptance_keys();
const ProblemTable* device_keys();
const ProblemTable* judged_keys();

}  // namespace nightshift::problems
