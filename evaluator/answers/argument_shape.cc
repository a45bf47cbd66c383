#include "evaluator/answers/argument_shape.h"

#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "evaluator/answers/converted.h"
#include "search/element_type.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

constexpr double kMostElements = 1e13;

// A scalar's value; integers keep all their bits and must fit.
template <class T>
T scalar_of(const search::Value& value, const std::string& what) {
  if (const auto* integer = std::get_if<std::int64_t>(&value); integer && std::is_integral_v<T>) {
    const T number = static_cast<T>(*integer);
    if (static_cast<std::int64_t>(number) != *integer || (number < 0) != (*integer < 0)) {
      throw std::runtime_error(what + " is " + std::to_string(*integer) +
                               ", which does not fit its type");
    }
    return number;
  }
  const double number = search::as_number(value);
  if (std::is_integral_v<T> && number != std::nearbyint(number)) {
    throw std::runtime_error(what + " is " + search::to_text(value) + ", which is no whole number");
  }
  const T result = converted<T>(number);
  const bool is_beyond = std::is_floating_point_v<T> && std::isfinite(number) &&
                         !std::isfinite(static_cast<double>(result));
  if (is_beyond || (std::is_integral_v<T> && static_cast<double>(result) != number)) {
    throw std::runtime_error(what + " is " + search::to_text(value) +
                             ", which does not fit its type");
  }
  return result;
}

}  // namespace

std::string_view word_of(search::Argument::Access access) {
  using Access = search::Argument::Access;
  switch (access) {
    case Access::kOut:
      return "out";
    case Access::kInOut:
      return "inout";
    case Access::kWork:
      return "work";
    case Access::kIn:
      break;
  }
  return "in";
}

ArgumentShape shape_of(const search::Argument& argument, const search::Expression::Lookup& lookup) {
  const std::string what =
      (argument.scalar ? "the value of argument '" : "the size of argument '") + argument.name +
      "'";
  const std::optional<search::Expression>& expression =
      argument.scalar ? argument.value : argument.size;
  if (!expression) throw std::runtime_error(what + " is not given");
  if (argument.scalar && !search::is_cpp_type(argument.type)) {
    throw std::runtime_error(what + " has a type that cannot be passed by value");
  }
  ArgumentShape shape;
  try {
    const search::Value value = expression->evaluate(lookup);
    if (argument.scalar) {
      search::with_cpp_type(argument.type, [&](auto tag) {
        const auto number = scalar_of<typename decltype(tag)::Type>(value, what);
        std::memcpy(shape.scalar.data(), &number, sizeof number);
      });
    } else {
      const double elements = search::as_number(value);
      if (!(elements >= 0) || elements > kMostElements || elements != std::floor(elements)) {
        throw std::runtime_error(what + " is " + search::to_text(value));
      }
      shape.elements = static_cast<std::size_t>(elements);
    }
  } catch (const search::ExpressionError& e) {
    throw std::runtime_error(what + ", '" + expression->text() + "': " + e.what());
  } catch (const std::invalid_argument& e) {
    throw std::runtime_error(what + ", '" + expression->text() + "': " + e.what());
  }
  return shape;
}

}  // namespace nightshift::evaluator
