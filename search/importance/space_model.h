#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/importance/parameter_levels.h"
#include "search/importance/tree_variance.h"
#include "search/model/forest.h"
#include "search/parameter.h"

namespace nightshift::search {

// A configuration, as positions in the parameters' lists of values, and what is known of it.
struct ModelPoint {
  std::vector<std::uint32_t> digits;
  double target = 0;
};

// How well a model foretells what it has not seen.
struct ModelQuality {
  double explained = 0;  // out-of-bag R^2: the share of the variance; below 0: worse than the mean
  double rank_correlation = 0;  // Spearman's, of the same predictions
};

// What a random forest says of a space: which parameters matter, and what any configuration is
// worth. Trees see points drawn with replacement, and are judged by those that they have not seen
// (Breiman 2001). More than kMostPoints are sampled, so that its time is bounded. The same points
// give the same model everywhere.
class SpaceModel {
 public:
  static constexpr std::size_t kMostPoints = 1000;

  SpaceModel(const std::vector<Parameter>& parameters, std::vector<ModelPoint> points);

  std::size_t points() const { return targets_.size(); }  // that it was fitted to
  const ModelQuality& quality() const { return quality_; }
  double predict(std::span<const std::uint32_t> digits) const;

  // Over all combinations of values alike, whether constraints allow them or not: see
  // tree_variance.h. Shares are of the variance, means over the trees.
  struct LevelMean {
    ParameterLevels::Ends ends;          // of neighbouring values
    double mean = 0, low = 0, high = 0;  // of the target; the middle half of the trees
  };
  struct Main {
    std::size_t parameter = 0;
    double share = 0;
    std::vector<LevelMean> levels;
  };
  struct Pair {
    std::size_t first = 0, second = 0;
    double share = 0;
  };
  struct Importance {
    std::vector<Main> mains;  // largest first; without parameters of one value
    std::vector<Pair> pairs;  // largest first
  };
  // Pairs are of the kMostPaired parameters that the trees split by most.
  static constexpr std::size_t kMostPaired = 12;
  Importance importance() const;

 private:
  void grow();
  void judge(const std::vector<std::vector<double>>& weights);
  std::vector<std::size_t> most_split() const;
  Main main_of(std::size_t parameter, const std::vector<TreeVariance>& trees) const;

  ParameterLevels levels_;
  std::vector<double> rows_, targets_;
  std::vector<Forest> trees_;  // of one tree each
  ModelQuality quality_;
};

}  // namespace nightshift::search
