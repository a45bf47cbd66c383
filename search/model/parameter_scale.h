#pragma once

#include <vector>

#include "search/parameter.h"

namespace nightshift::search {

// A parameter's list of values as numbers: what all models ask before they scale it in their own
// way. How they do differs on purpose. Aspects take logarithms over a factor of four; Encoding only
// where the steps grow too, and halfway to the ranks; OneHot where each value is a multiple of the
// one before, as the published forest search has it.

// Neither text nor truth value.
bool is_number(const Value& value);
// All values are numbers, so that their order means something.
bool is_numeric(const Parameter& parameter);
// In the order of the list; of a numeric parameter.
std::vector<double> numbers_of(const Parameter& parameter);
// Linearly to [0, 1]; all 0 where they are equal.
std::vector<double> to_unit_interval(std::vector<double> values);

}  // namespace nightshift::search
