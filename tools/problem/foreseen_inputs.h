#pragma once

#include <string>

#include "search/problem.h"

namespace nightshift::tools {

// What a candidate could know of a [host] or [cuda] problem's inputs before it is measured: a
// sentence that says so and what to change; empty where a seed makes at least one of them. What no
// seed makes is the same for everybody who has read the problem.
std::string foreseen_inputs(const search::Problem& problem);

// Tells it, when a service or a judge begins. Of a problem in Python its file is asked
// (python/nightshift/foreseen.py): throws problems::ProblemFileError where each candidate would be
// refused.
void look_at_inputs(const search::Problem& problem);

}  // namespace nightshift::tools
