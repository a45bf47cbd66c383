#pragma once

#include <string>
#include <vector>

#include "search/problem.h"

namespace nightshift::problems {

// A remark for each output of which an answer of zeros is right, since it may be off by all of its
// size, as where 5 is written and 5 % is meant. The problem is whole but for its notes.
std::vector<std::string> loose_tolerance_notes(const search::Problem& problem);

}  // namespace nightshift::problems
