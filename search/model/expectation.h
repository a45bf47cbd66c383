#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/expected_cost.h"
#include "search/model/targets.h"
#include "search/parameter_space.h"

namespace nightshift::search {

// The expected cost of configurations of a space. As Transfer it is where a model begins, as far as
// measurements bear it out.
class Expectation {
 public:
  // The space outlives it. Throws SpaceError ("is over 'x', ...") where a factor names what is
  // neither a parameter of the space nor a constant.
  Expectation(const ParameterSpace& space, const ExpectedCost& cost);

  bool empty() const { return cost_.factors.empty(); }
  // See log_cost().
  std::optional<double> expected(std::span<const std::uint32_t> digits) const;

 private:
  const ParameterSpace* space_;
  ExpectedCost cost_;
  std::map<std::string, std::size_t, std::less<>> positions_;  // of parameters
};

// What is expected (by an Expectation, or by a Transfer) made alike to targets: unknown is as
// usual, and what targets are is flattened.
class ExpectedScale {
 public:
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  ExpectedScale() = default;
  // By what was expected of the trials. `flatten`: it was not learnt from flattened targets.
  ExpectedScale(std::vector<double> expected, bool flatten);
  double operator()(double expected) const;

 private:
  Flattening flattening_;
  double usual_ = 0;
};

}  // namespace nightshift::search
