#pragma once

#include <vector>

#include "search/model/anova_kernel.h"
#include "search/model/pool_surrogate.h"
#include "search/searcher.h"

namespace nightshift::search {

// What an earlier study (another device, another size of the problem) makes one expect here: a
// Gaussian process of its own, whose mean is the start of the present one's, as far as it is borne
// out: times the slope of what was measured here over what was expected, which begins at one and
// is drawn to zero where the earlier study misleads.
class Transfer {
 public:
  Transfer(const ParameterSpace& space, const Aspects& aspects,
           const std::vector<KnownTrial>& earlier, Rng& rng);

  bool empty() const { return empty_; }
  double expected(const Levels& point) const;  // logarithm of the score, up to a constant
  // `expected` and `measured` of the same trials.
  static double slope(const std::vector<double>& expected, const std::vector<double>& measured);

 private:
  AnovaKernel kernel_;
  PoolSurrogate surrogate_;
  bool empty_ = true;
};

}  // namespace nightshift::search
