#pragma once

#include <string>

#include "search/problem.h"

namespace nightshift::problems {

// A remark where parameters choose optimisation levels (-O2), and nothing of the problem gives its
// baseline one: compilers then build for debugging, and every gain is over that. Empty otherwise.
// The problem is whole but for its notes.
std::string baseline_level_note(const search::Problem& problem);

}  // namespace nightshift::problems
