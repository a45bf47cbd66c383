#pragma once

#include <vector>

#include "search/digit_table.h"
#include "search/parameter_space.h"

namespace nightshift::search {

// All rows of digits that satisfy the constraints, in ascending order: depth-first search in
// parameter order, each constraint checked as soon as the last of its parameters is set.
// Throws SpaceError.
DigitTable construct_space(const std::vector<Parameter>& parameters,
                           const std::vector<Expression>& constraints);

}  // namespace nightshift::search
