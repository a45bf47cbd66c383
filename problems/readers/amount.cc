#include "problems/readers/amount.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "search/element_type.h"

namespace nightshift::problems {

AmountRule value_rule(search::ElementType type) {
  constexpr double kAny = -std::numeric_limits<double>::infinity();
  return search::is_floating(type) ? AmountRule{kAny, false, ""}
                                   : AmountRule{kAny, true, ", but its type is an integer"};
}

std::string amount_complaint(const search::Expression& expression,
                             const search::Expression::Lookup& lookup, const AmountRule& rule) {
  try {
    const search::Value value = expression.evaluate(lookup);
    const double number = search::as_number(value);
    const std::string result = "is " + search::to_json(value) + " for the baseline";
    if (!std::isfinite(number)) return result;
    const bool good = number >= rule.least && (!rule.whole || std::floor(number) == number);
    return good ? "" : result + rule.otherwise;
  } catch (const search::ExpressionError& error) {
    return std::string("cannot be evaluated for the baseline: ") + error.what();
  } catch (const std::invalid_argument& error) {
    return std::string("is no number: ") + error.what();
  }
}

}  // namespace nightshift::problems
