#pragma once

#include <limits>
#include <string>

#include "search/argument.h"
#include "search/expression.h"

namespace nightshift::problems {

// What an expression must come out as.
struct AmountRule {
  double least;
  bool whole;
  const char* otherwise;                                    // ends the sentence of a mistake
  double beyond = std::numeric_limits<double>::infinity();  // it is less than this
};
inline constexpr AmountRule kElements = {1, true, ", which is no number of elements"};
// Of a scalar argument of that type.
AmountRule value_rule(search::ElementType type);

// Why `expression` does not come out so for the baseline, whose values `lookup` has; empty where it
// does.
std::string amount_complaint(const search::Expression& expression,
                             const search::Expression::Lookup& lookup, const AmountRule& rule);

}  // namespace nightshift::problems
