#pragma once

#include <string>

#include "search/objective.h"

namespace nightshift::problems {

// The objective that a recording names. `its_unit`: what the file says that it is in; empty where
// it does not. Rates and scores are better when they are higher, by the words that hold for
// programs as well (search/figures/rate_words.h): no recording says the direction.
search::Objective objective_named(const std::string& name, const std::string& its_unit = "");

// That nothing in its name or its unit says the direction, and what was assumed, for people; empty
// where something does.
std::string direction_remark(const search::Objective& objective);

}  // namespace nightshift::problems
