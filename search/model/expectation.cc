#include "search/model/expectation.h"

#include <algorithm>
#include <cmath>

#include "search/statistics/summary.h"

namespace nightshift::search {

Expectation::Expectation(const ParameterSpace& space, const ExpectedCost& cost) : space_(&space) {
  const std::vector<Parameter>& parameters = space.parameters();
  for (const Expression& expression : cost.factors) {
    Factor& factor = factors_.emplace_back(expression);
    for (const std::string& name : expression.names()) {
      const auto parameter = std::ranges::find(parameters, name, &Parameter::name);
      const auto constant =
          std::ranges::find(cost.constants, name, &std::pair<std::string, Value>::first);
      if (parameter != parameters.end()) {
        factor.operands.push_back(
            {static_cast<std::size_t>(parameter - parameters.begin()), Value()});
      } else if (constant != cost.constants.end()) {
        factor.operands.push_back({std::nullopt, constant->second});
      } else {
        throw SpaceError("is over '" + name + "', which is no parameter");
      }
    }
  }
}

std::optional<double> Expectation::expected(std::span<const std::uint32_t> digits) const {
  double sum = 0;
  for (const Factor& factor : factors_) {
    const auto logarithm = logarithm_of(factor, digits);
    if (!logarithm) return std::nullopt;
    sum += *logarithm;
  }
  return sum / static_cast<double>(std::max<std::size_t>(1, factors_.size()));
}

std::optional<double> Expectation::logarithm_of(const Factor& factor,
                                                std::span<const std::uint32_t> digits) const {
  std::vector<const Value*> values;
  values.reserve(factor.operands.size());
  for (const Operand& operand : factor.operands) {
    values.push_back(
        operand.parameter
            ? &space_->parameters()[*operand.parameter].values[digits[*operand.parameter]]
            : &operand.constant);
  }
  try {
    const Value cost = factor.expression.evaluate_for(values);
    if (std::holds_alternative<std::string>(cost)) return std::nullopt;
    const double number = as_number(cost);
    if (number > 0 && std::isfinite(number)) return std::log(number);
  } catch (const ExpressionError&) {
  }
  return std::nullopt;
}

ExpectedScale::ExpectedScale(std::vector<double> expected, bool flatten) : flattening_({}) {
  std::erase_if(expected, [](double e) { return std::isnan(e); });
  usual_ = median_of(expected);
  if (flatten) flattening_ = Flattening(expected);
}

double ExpectedScale::operator()(double expected) const {
  return std::isnan(expected) ? usual_ : flattening_(expected);
}

}  // namespace nightshift::search
