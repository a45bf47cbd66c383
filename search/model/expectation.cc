#include "search/model/expectation.h"

#include <algorithm>
#include <cmath>

#include "search/statistics/summary.h"

namespace nightshift::search {

Expectation::Expectation(const ParameterSpace& space, const ExpectedCost& cost)
    : space_(&space), cost_(cost) {
  const std::vector<Parameter>& parameters = space.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) positions_.emplace(parameters[i].name, i);
  for (const Expression& factor : cost_.factors) {
    for (const std::string& name : factor.names()) {
      const bool is_constant = std::ranges::any_of(
          cost_.constants, [&](const auto& constant) { return constant.first == name; });
      if (is_constant || positions_.contains(name)) continue;
      throw SpaceError("is over '" + name + "', which is no parameter");
    }
  }
}

std::optional<double> Expectation::expected(std::span<const std::uint32_t> digits) const {
  return log_cost(cost_, [&](std::string_view name) {
    const std::size_t i = positions_.find(name)->second;
    return &space_->parameters()[i].values[digits[i]];
  });
}

ExpectedScale::ExpectedScale(std::vector<double> expected, bool flatten) {
  std::erase_if(expected, [](double e) { return std::isnan(e); });
  usual_ = median_of(expected);
  if (flatten) flattening_ = Flattening(expected);
}

double ExpectedScale::operator()(double expected) const {
  return std::isnan(expected) ? usual_ : flattening_(expected);
}

}  // namespace nightshift::search
