#include "problems/readers/amount.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <variant>

#include "search/element_type.h"

namespace nightshift::problems {

namespace {

// The largest number of a type that C++ has not.
double largest_of_gpu(search::ElementType type) {
  switch (type) {
    case search::ElementType::kFloat16:
      return 65504;
    case search::ElementType::kBfloat16:
      return 0x1.fep127;
    case search::ElementType::kFloat8E4M3:
      return 448;
    default:
      return 57344;
  }
}

// Of whole numbers, those of the widest types with all digits, which doubles have not.
template <class T>
std::string range_of() {
  return std::to_string(std::numeric_limits<T>::min()) + " to " +
         std::to_string(std::numeric_limits<T>::max());
}

std::string out_of(const std::string& range, search::ElementType type) {
  return ", but its type goes from " + range + " (" + std::string(search::name_of(type)) + ")";
}

}  // namespace

AmountRule value_rule(search::ElementType type) {
  constexpr double kAny = -std::numeric_limits<double>::infinity();
  if (search::is_floating(type)) return {kAny, false, "", type};
  return {kAny, true, ", but its type is an integer", type};
}

std::string range_complaint(double number, search::ElementType type) {
  const auto of_floats = [&](double largest) {
    if (std::abs(number) <= largest) return std::string();
    return out_of(search::to_json(-largest) + " to " + search::to_json(largest), type);
  };
  if (!search::is_cpp_type(type)) return of_floats(largest_of_gpu(type));
  return search::with_cpp_type(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (std::is_floating_point_v<T>) {
      return of_floats(std::numeric_limits<T>::max());
    } else {
      const bool is_one = number >= static_cast<double>(std::numeric_limits<T>::min()) &&
                          number < std::ldexp(1.0, std::numeric_limits<T>::digits);
      return is_one ? std::string() : out_of(range_of<T>(), type);
    }
  });
}

std::string number_complaint(double number, const AmountRule& rule) {
  if (rule.whole && std::floor(number) != number) {
    return rule.otherwise +
           (rule.type ? " (" + std::string(search::name_of(*rule.type)) + ")" : "");
  }
  if (rule.type) return range_complaint(number, *rule.type);
  return number < rule.least ? rule.otherwise : "";
}

namespace {

// Why `value`, whose double is `number`, is none of `rule`; empty where it is one.
std::string misfit(const search::Value& value, double number, const AmountRule& rule) {
  if (std::string wrong = number_complaint(number, rule); !wrong.empty()) return wrong;
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
