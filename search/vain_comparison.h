#pragma once

#include <string>
#include <vector>

#include "search/expression.h"
#include "search/parameter.h"

namespace nightshift::search {

// What is wrong with the first comparison by ==, !=, in or not in that asks whether a number is a
// text: the answer is always the same, so whoever wrote it meant another value. Sizes and derived
// names have been replaced. Empty where there is none.
std::string vain_comparison(const Expression& expression, const std::vector<Parameter>& parameters);

}  // namespace nightshift::search
