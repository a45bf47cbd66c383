#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "search/expected_cost.h"
#include "search/model/targets.h"
#include "search/parameter_space.h"

namespace nightshift::search {

// The expected cost of configurations of a space. As Transfer it is where a model begins, as far as
// measurements bear it out.
class Expectation {
 public:
  // The space outlives it. Throws SpaceError ("is over 'x', ...") where a factor names what is neither a
  // parameter of the space nor a constant.
  Expectation(const ParameterSpace& space, const ExpectedCost& cost);

  bool empty() const { return factors_.empty(); }
  // Logarithm of the cost, up to a constant; nullopt where a factor is no positive number there.
  std::optional<double> expected(std::span<const std::uint32_t> digits) const;

 private:
  // A name of a factor: a position in the space's parameters, or else a constant.
  struct Operand {
    std::optional<std::size_t> parameter;
    Value constant;
  };
  struct Factor {
    Expression expression;
    std::vector<Operand> operands;  // in the order of the expression's names
  };
  std::optional<double> logarithm_of(const Factor& factor,
                                     std::span<const std::uint32_t> digits) const;

  const ParameterSpace* space_;
  std::vector<Factor> factors_;
};

// What is expected (by an Expectation, or by a Transfer) made alike to targets: unknown is as usual, and
// what targets are is flattened.
class ExpectedScale {
 public:
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  ExpectedScale() : flattening_({}) {}
  // By what was expected of the trials. `flatten`: it was not learnt from flattened targets.
  ExpectedScale(std::vector<double> expected, bool flatten);
  double operator()(double expected) const;

 private:
  Flattening flattening_;
  double usual_ = 0;
};

}  // namespace nightshift::search
