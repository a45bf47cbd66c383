#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "search/importance/parameter_levels.h"
#include "search/model/forest.h"

namespace nightshift::search {

// What a tree says of each parameter and each two of them, over all combinations of their values
// alike: Hutter, Hoos and Leyton-Brown, "An efficient approach for assessing hyperparameter
// importance", ICML 2014. A tree is constant on boxes, so its means over all other parameters are
// sums over its leaves, and nothing is sampled.
struct TreeVariance {
  double mean = 0;
  double variance = 0;
  std::vector<std::vector<double>> means;  // by parameter and level, over all others
  std::vector<double> mains;               // variance by each parameter alone
  std::vector<double> pairs;               // and by each pair beyond that
};

using ParameterPair = std::pair<std::size_t, std::size_t>;

TreeVariance tree_variance(const Forest& tree, const ParameterLevels& levels,
                           const std::vector<ParameterPair>& pairs);

}  // namespace nightshift::search
