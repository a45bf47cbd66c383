#pragma once

#include <optional>
#include <string>

#include "search/argument.h"
#include "search/expression.h"

namespace nightshift::problems {

// What an expression must come out as.
struct AmountRule {
  double least;
  bool whole;
  const char* otherwise;                         // ends the sentence of a mistake
  std::optional<search::ElementType> type = {};  // that has to have it
};
inline constexpr AmountRule kElements = {1, true, ", which is no number of elements"};
// Of a scalar argument of that type.
AmountRule value_rule(search::ElementType type);

// Why no number of `type` is as large or small, ", but its type goes from -128 to 127 (int8)"; empty
// where one is.
std::string range_complaint(double number, search::ElementType type);

// Why `number` is none of `rule`, which ends a sentence; empty where it is one.
std::string number_complaint(double number, const AmountRule& rule);

// Why `expression` does not come out so for the baseline, whose values `lookup` has; empty where it
// does.
std::string amount_complaint(const search::Expression& expression,
                             const search::Expression::Lookup& lookup, const AmountRule& rule);

}  // namespace nightshift::problems
