#pragma once

#include "search/problem.h"

namespace nightshift::tools {

inline constexpr const char* kElsewhere = "elsewhere";  // the program of such a problem

// Its configurations are handed to whoever measures them (`nightshift search`): no device of ours
// can.
bool is_measured_elsewhere(const search::Problem& problem);

}  // namespace nightshift::tools
