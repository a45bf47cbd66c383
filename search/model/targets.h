#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "base/rng.h"

namespace nightshift::search {

// What models are fitted to, from logarithms of scores.

// Values above the median of some are drawn towards it, to a fifth of their distance: how bad the
// bad ones are does not matter, and would drown the differences between the good ones.
class Flattening {
 public:
  Flattening() = default;  // changes nothing
  explicit Flattening(const std::vector<double>& values);
  double operator()(double value) const;

 private:
  double median_ = std::numeric_limits<double>::infinity();
};
std::vector<double> flattened(std::vector<double> values);  // by themselves

// At most `count` positions: the lower half of them those of the lowest values, the others drawn
// from the rest.
std::vector<std::size_t> best_and_others(const std::vector<double>& values, std::size_t count,
                                         base::Rng& rng);

}  // namespace nightshift::search
