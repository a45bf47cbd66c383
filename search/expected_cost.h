#pragma once

#include <string>
#include <utility>
#include <vector>

#include "search/expression.h"
#include "search/value.h"

namespace nightshift::search {

// What a configuration is thought to cost before anything is measured: rough, and up to a factor.
struct ExpectedCost {
  // Over parameters and `constants`; what they come out as is multiplied. Empty: nothing is thought.
  std::vector<Expression> factors = {};
  std::vector<std::pair<std::string, Value>> constants = {};
};

}  // namespace nightshift::search
