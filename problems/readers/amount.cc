#include "problems/readers/amount.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <variant>

#include "search/element_type.h"

namespace nightshift::problems {

AmountRule value_rule(search::ElementType type) {
  constexpr double kAny = -std::numeric_limits<double>::infinity();
  if (search::is_floating(type)) return {kAny, false, ""};
  return search::with_cpp_type(type, [](auto tag) -> AmountRule {
    using T = typename decltype(tag)::Type;
    return {static_cast<double>(std::numeric_limits<T>::min()), true,
            ", but its type is an integer", std::ldexp(1.0, std::numeric_limits<T>::digits)};
  });
}

namespace {

// Why `value`, whose double is `number`, is none of `rule`; empty where it is one.
std::string misfit(const search::Value& value, double number, const AmountRule& rule) {
  if (rule.whole && std::floor(number) != number) return rule.otherwise;
  if (number >= rule.beyond || (number < rule.least && std::isfinite(rule.beyond))) {
    // Of the widest types the most is no double.
    const bool is_odd = rule.beyond <= 0x1p53;
    return ", but its type goes from " + search::to_json(static_cast<std::int64_t>(rule.least)) +
           " to " +
           (is_odd ? search::to_json(static_cast<std::int64_t>(rule.beyond) - 1)
                   : std::string(rule.least < 0 ? "9223372036854775807" : "18446744073709551615"));
  }
  if (number < rule.least) return rule.otherwise;
  const auto* whole = std::get_if<std::int64_t>(&value);
  if (whole != nullptr && !search::same_value(value, number)) {
    return ", which would be passed as the nearest double, " + search::to_json(number) +
           "; whole numbers are passed exactly up to 9007199254740992";
  }
  return "";
}

}  // namespace

std::string amount_complaint(const search::Expression& expression,
                             const search::Expression::Lookup& lookup, const AmountRule& rule) {
  try {
    const search::Value value = expression.evaluate(lookup);
    const double number = search::as_number(value);
    const std::string result = "is " + search::to_json(value) + " for the baseline";
    if (!std::isfinite(number)) return result;
    const std::string wrong = misfit(value, number, rule);
    return wrong.empty() ? "" : result + wrong;
  } catch (const search::ExpressionError& error) {
    return std::string("cannot be evaluated for the baseline: ") + error.what();
  } catch (const std::invalid_argument& error) {
    return std::string("is no number: ") + error.what();
  }
}

}  // namespace nightshift::problems
