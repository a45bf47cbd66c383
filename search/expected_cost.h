#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/expression.h"
#include "search/value.h"

namespace nightshift::search {

// What a configuration is thought to cost before anything is measured: rough, and up to a factor.
struct ExpectedCost {
  // Over parameters and `constants`; what they come out as is multiplied. Empty: nothing is
  // thought.
  std::vector<Expression> factors = {};
  std::vector<std::pair<std::string, Value>> constants = {};
};

// Logarithm of the cost, up to a constant; nullopt where a factor is no positive number, or over a
// name that is neither a constant nor found by `parameter`.
std::optional<double> log_cost(const ExpectedCost& cost, const Expression::Lookup& parameter);

}  // namespace nightshift::search
