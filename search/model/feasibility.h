#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/model/forest.h"
#include "search/model/one_hot.h"
#include "search/parameter_space.h"

namespace nightshift::search {

// Probability that a configuration works, learnt from what failed: constraints that nobody wrote
// down, such as too many registers. A classification forest, whose answer is drawn towards the
// overall rate of success while few failures are known. Without any failure all configurations are
// alike. Any searcher can use it; a fixed seed inside, so the same observations give the same
// answers.
class Feasibility {
 public:
  explicit Feasibility(const ParameterSpace& space);

  void observe(std::span<const std::uint32_t> digits, bool works);

  std::size_t failures() const { return failures_; }
  // Rate of success over all configurations, with a prior of one failure in ten.
  double rate() const;

  // In (0, 1). Refits first where enough was observed since: more than a tenth of all.
  double probability(std::span<const std::uint32_t> digits);
  // Of many, encoded by a OneHot of the same space.
  void probabilities(const PointTable& rows, std::span<double> result);

 private:
  void refit();
  double drawn_to_rate(double by_forest) const;

  OneHot encoding_;
  Forest forest_;
  std::vector<double> rows_;
  std::vector<double> works_;  // 1 or 0 by row
  std::size_t failures_ = 0;
  std::size_t fitted_rows_ = 0, fitted_failures_ = 0;
};

}  // namespace nightshift::search
