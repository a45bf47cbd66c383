#include "search/expected_cost.h"

#include <algorithm>
#include <cmath>
#include <variant>

namespace nightshift::search {
namespace {

std::optional<double> logarithm_of(const Value& cost) {
  if (std::holds_alternative<std::string>(cost)) return std::nullopt;
  const double number = as_number(cost);
  return number > 0 && std::isfinite(number) ? std::optional(std::log(number)) : std::nullopt;
}

}  // namespace

std::optional<double> log_cost(const ExpectedCost& cost, const Expression::Lookup& parameter) {
  const Expression::Lookup lookup = [&](std::string_view name) {
    const auto constant =
        std::ranges::find(cost.constants, name, &std::pair<std::string, Value>::first);
    return constant == cost.constants.end() ? parameter(name) : &constant->second;
  };
  double sum = 0;
  for (const Expression& factor : cost.factors) {
    try {
      const auto logarithm = logarithm_of(factor.evaluate(lookup));
      if (!logarithm) return std::nullopt;
      sum += *logarithm;
    } catch (const ExpressionError&) {
      return std::nullopt;
    }
  }
  return sum / static_cast<double>(std::max<std::size_t>(1, cost.factors.size()));
}

}  // namespace nightshift::search
