#include "search/importance/space_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "base/rng.h"
#include "search/importance/tree_variance.h"
#include "search/statistics/summary.h"

namespace nightshift::search {

namespace {

constexpr std::size_t kTrees = 64;
constexpr std::uint64_t kSeed = 0x6d6f;

ForestSettings tree_settings(std::size_t columns) {
  ForestSettings settings;
  settings.trees = 1;
  settings.bootstrap = false;  // the weights are it
  settings.min_to_split = 3;
  settings.min_leaf = 1;
  settings.max_features = (5 * columns + 5) / 6;
  return settings;
}

// Positions in ascending order of the values; of equal ones the mean.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
    }
    begin = end;
  }
  return ranks;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double mean_a = mean_of(a), mean_b = mean_of(b);
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

}  // namespace

SpaceModel::SpaceModel(const std::vector<Parameter>& parameters, std::vector<ModelPoint> points)
    : levels_(parameters) {
  if (points.size() > kMostPoints) {
    base::Rng rng(kSeed);
    rng.shuffle(points);
    points.resize(kMostPoints);
  }
  for (const ModelPoint& point : points) {
    levels_.append(point.digits, rows_);
    targets_.push_back(point.target);
  }
  if (!targets_.empty() && levels_.columns() > 0) grow();
}

void SpaceModel::grow() {
  base::Rng rng(kSeed);
  std::vector<std::vector<double>> weights;
  for (std::size_t t = 0; t < kTrees; ++t) {
    std::vector<double>& drawn = weights.emplace_back(targets_.size());
    for (std::size_t i = 0; i < targets_.size(); ++i) ++drawn[rng.below(targets_.size())];
    trees_.push_back(Forest::fit(tree_settings(levels_.columns()), {rows_, levels_.columns()},
                                 targets_, drawn, rng.next()));
  }
  judge(weights);
}

// By what each point is foretold by the trees that were grown without it.
void SpaceModel::judge(const std::vector<std::vector<double>>& weights) {
  const PointTable table{rows_, levels_.columns()};
  std::vector<double> seen, foretold;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    double sum = 0, count = 0;
    for (std::size_t t = 0; t < trees_.size(); ++t) {
      if (weights[t][i] > 0) continue;
      sum += trees_[t].predict(table.row(i));
      ++count;
    }
    if (count == 0) continue;
    seen.push_back(targets_[i]);
    foretold.push_back(sum / count);
  }
  if (seen.size() < 2) return;
  const double mean = mean_of(seen);
  double residual = 0, total = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    residual += (seen[i] - foretold[i]) * (seen[i] - foretold[i]);
    total += (seen[i] - mean) * (seen[i] - mean);
  }
  quality_.explained = total > 0 ? 1 - residual / total : 0;
  quality_.rank_correlation = correlation(ranks_of(seen), ranks_of(foretold));
}

double SpaceModel::predict(std::span<const std::uint32_t> digits) const {
  std::vector<double> row;
  levels_.append(digits, row);
  double sum = 0;
  for (const Forest& tree : trees_) sum += tree.predict(row);
  return trees_.empty() ? 0 : sum / static_cast<double>(trees_.size());
}

std::vector<std::size_t> SpaceModel::most_split() const {
  std::vector<double> split(levels_.size());
  for (const Forest& tree : trees_) {
    for (std::size_t c = 0; c < levels_.columns(); ++c) {
      split[levels_.parameter_of(c)] += tree.importance()[c];
    }
  }
  std::vector<std::size_t> most(levels_.size());
  std::iota(most.begin(), most.end(), std::size_t{0});
  std::erase_if(most, [&](std::size_t p) { return split[p] == 0; });
  std::ranges::stable_sort(most, std::greater(), [&](std::size_t p) { return split[p]; });
  if (most.size() > kMostPaired) most.resize(kMostPaired);
  std::ranges::sort(most);
  return most;
}

namespace {

// The mean of `part` over the variance, of the trees that vary.
template <class Part>
double share_of(const std::vector<TreeVariance>& trees, const Part& part) {
  double sum = 0, count = 0;
  for (const TreeVariance& tree : trees) {
    if (!(tree.variance > 0)) continue;
    sum += part(tree) / tree.variance;
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace

SpaceModel::Main SpaceModel::main_of(std::size_t p, const std::vector<TreeVariance>& trees) const {
  Main main{p, share_of(trees, [&](const TreeVariance& t) { return t.mains[p]; }), {}};
  for (std::size_t level = 0; level < levels_.count(p) && !trees.empty(); ++level) {
    std::vector<double> means;
    for (const TreeVariance& t : trees) means.push_back(t.means[p][level]);
    main.levels.push_back({levels_.ends(p, level), mean_of(means), quantile_of(means, 0.25),
                           quantile_of(means, 0.75)});
  }
  return main;
}

SpaceModel::Importance SpaceModel::importance() const {
  Importance result;
  std::vector<ParameterPair> pairs;
  const std::vector<std::size_t> paired = most_split();
  for (std::size_t i = 0; i < paired.size(); ++i) {
    for (std::size_t j = i + 1; j < paired.size(); ++j) pairs.emplace_back(paired[i], paired[j]);
  }
  std::vector<TreeVariance> trees;
  for (const Forest& tree : trees_) trees.push_back(tree_variance(tree, levels_, pairs));
  for (std::size_t p = 0; p < levels_.size(); ++p) {
    if (levels_.count(p) > 1) result.mains.push_back(main_of(p, trees));
  }
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const double share = share_of(trees, [&](const TreeVariance& t) { return t.pairs[k]; });
    result.pairs.push_back({pairs[k].first, pairs[k].second, share});
  }
  std::ranges::stable_sort(result.mains, std::greater(), &Main::share);
  std::ranges::stable_sort(result.pairs, std::greater(), &Pair::share);
  return result;
}

}  // namespace nightshift::search
