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
//
// Where configurations had an expected cost there, and have one here, it is of what was measured
// beyond that: what a tile costs depends on the size, and what a hint of the cache is worth hardly.
class Transfer {
 public:
  // `beyond`: configurations have an expected cost here.
  Transfer(const ParameterSpace& space, const Aspects& aspects,
           const std::vector<KnownTrial>& earlier, bool beyond, base::Rng& rng);

  bool empty() const { return empty_; }
  bool is_beyond_cost() const { return is_beyond_; }
  // Logarithm of the score, or of what it is over the expected cost, up to a constant.
  double expected(const Levels& point) const;
  // `expected` and `measured` of the same trials.
  static double slope(const std::vector<double>& expected, const std::vector<double>& measured);

 private:
  AnovaKernel kernel_;
  PoolSurrogate surrogate_;
  bool empty_ = true;
  bool is_beyond_ = false;
};

}  // namespace nightshift::search
