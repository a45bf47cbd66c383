#include "search/model/forest_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/portable_math.h"

namespace nightshift::search {

namespace {

double x_log_x(double x) { return x > 0 ? x * base::portable_log(x) : 0; }

double mean_target(std::span<const double> targets, std::span<const double> weights) {
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    sum += weights[i] * targets[i];
    weight += weights[i];
  }
  return weight > 0 ? sum / weight : 0;
}

}  // namespace

Forest Forest::fit(const ForestSettings& settings, const PointTable& points,
                   std::span<const double> targets, std::span<const double> weights,
                   std::uint64_t seed) {
  return ForestBuilder(settings, points, targets, weights).build(seed);
}

ForestBuilder::ForestBuilder(const ForestSettings& settings, const PointTable& points,
                             std::span<const double> targets, std::span<const double> weights)
    : settings_(settings),
      count_(points.rows()),
      columns_(points.columns),
      features_(settings.max_features == 0 ? columns_ : std::min(settings.max_features, columns_)),
      targets_(targets.begin(), targets.end()),
      weights_(weights.begin(), weights.end()),
      order_(columns_) {
  if (weights_.empty()) weights_.assign(count_, 1.0);
  if (settings.criterion == SplitCriterion::kSquaredError) {
    centre_ = mean_target(targets_, weights_);
    for (double& target : targets_) target -= centre_;
  }
  rank_columns(points);
  std::iota(order_.begin(), order_.end(), 0U);
  row_a_.resize(count_);
  row_b_.resize(count_);
}

void ForestBuilder::rank_columns(const PointTable& points) {
  ranks_.resize(columns_ * count_);
  distinct_.resize(columns_);
  std::size_t most = 0;
  for (std::size_t column = 0; column < columns_; ++column) {
    std::vector<double>& values = distinct_[column];
    for (std::size_t row = 0; row < count_; ++row) {
      values.push_back(points.values[row * columns_ + column]);
    }
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (std::size_t row = 0; row < count_; ++row) {
      const double value = points.values[row * columns_ + column];
      ranks_[column * count_ + row] =
          static_cast<std::uint32_t>(std::ranges::lower_bound(values, value) - values.begin());
    }
    most = std::max(most, values.size());
  }
  counted_.resize(most);
}

Forest ForestBuilder::build(std::uint64_t seed) {
  forest_ = Forest();
  forest_.importance_.assign(columns_, 0.0);
  for (std::size_t tree = 0; tree < settings_.trees; ++tree) {
    base::Rng rng(base::mix_seed(seed, tree));
    if (!draw_rows(rng)) break;
    grow_tree(rng);
  }
  double total = 0;
  for (const double gain : forest_.importance_) total += gain;
  for (double& gain : forest_.importance_) gain = total > 0 ? gain / total : 0;
  return std::move(forest_);
}

// False where no row has weight.
bool ForestBuilder::draw_rows(base::Rng& rng) {
  if (std::ranges::none_of(weights_, [](double weight) { return weight > 0; })) return false;
  std::vector<std::uint32_t> times(count_, 1);
  do {
    rows_.clear();
    if (settings_.bootstrap) {
      std::ranges::fill(times, 0U);
      for (std::size_t i = 0; i < count_; ++i) ++times[rng.below(count_)];
    }
    for (std::uint32_t row = 0; row < count_; ++row) {
      const double weight = weights_[row] * times[row];
      if (!(weight > 0)) continue;
      rows_.push_back(row);
      const double part = weight * targets_[row];
      row_a_[row] = settings_.criterion == SplitCriterion::kEntropy ? weight - part : weight;
      row_b_[row] = part;
    }
  } while (rows_.empty());
  return true;
}

void ForestBuilder::grow_tree(base::Rng& rng) {
  const auto root = static_cast<std::uint32_t>(forest_.nodes_.size());
  forest_.roots_.push_back(root);
  forest_.nodes_.emplace_back();
  forest_.values_.emplace_back();
  open_.push_back(opened(root, 0, static_cast<std::uint32_t>(rows_.size()), 0));
  while (!open_.empty()) {
    const Open next = open_.back();
    open_.pop_back();
    split_or_close(next, rng);
  }
}

ForestBuilder::Open ForestBuilder::opened(std::uint32_t node, std::uint32_t begin,
                                          std::uint32_t end, std::size_t depth) const {
  Open open{node, begin, end, depth, {}, true};
  const double first = targets_[rows_[begin]];
  for (std::uint32_t i = begin; i < end; ++i) {
    const std::uint32_t row = rows_[i];
    add(open.sums, {row_a_[row], row_b_[row], 1});
    open.pure = open.pure && targets_[row] == first;
  }
  return open;
}

void ForestBuilder::split_or_close(const Open& open, base::Rng& rng) {
  const Split split = is_final(open) ? Split{} : best_split(open, rng);
  if (!split.found) {
    forest_.nodes_[open.node] = {std::numeric_limits<double>::infinity(), open.node, 0};
    forest_.values_[open.node] = value(open.sums);
    return;
  }
  const auto child = static_cast<std::uint32_t>(forest_.nodes_.size());
  forest_.nodes_[open.node] = {split.threshold, child, split.column};
  forest_.nodes_.resize(child + 2);
  forest_.values_.resize(child + 2);
  forest_.importance_[split.column] += std::max(split.gain, 0.0);
  const std::uint32_t middle = partition(open, split);
  open_.push_back(opened(child + 1, middle, open.end, open.depth + 1));
  open_.push_back(opened(child, open.begin, middle, open.depth + 1));
}

bool ForestBuilder::is_final(const Open& open) const {
  return open.pure || open.sums.rows < settings_.min_to_split ||
         open.sums.rows < 2 * settings_.min_leaf ||
         (settings_.max_depth != 0 && open.depth >= settings_.max_depth);
}

// Draws columns until enough were looked at and one of them was not constant.
ForestBuilder::Split ForestBuilder::best_split(const Open& open, base::Rng& rng) {
  Split best;
  best.gain = -std::numeric_limits<double>::infinity();
  bool any_varies = false;
  for (std::size_t i = 0; i < columns_ && (i < features_ || !any_varies); ++i) {
    std::swap(order_[i], order_[i + rng.below(columns_ - i)]);
    if (!make_bins(order_[i], open)) continue;
    any_varies = true;
    look_at_column(order_[i], open, best);
  }
  return best;
}

bool ForestBuilder::make_bins(std::uint32_t column, const Open& open) {
  const std::uint32_t* const ranks = ranks_.data() + std::size_t{column} * count_;
  node_ranks_.resize(open.end - open.begin);
  std::uint32_t low = std::numeric_limits<std::uint32_t>::max(), high = 0;
  for (std::uint32_t i = open.begin; i < open.end; ++i) {
    const std::uint32_t rank = ranks[rows_[i]];
    node_ranks_[i - open.begin] = rank;
    low = std::min(low, rank);
    high = std::max(high, rank);
  }
  if (low == high) return false;
  bins_.clear();
  const std::uint32_t span = high - low + 1;
  if (span <= 16 + 4 * open.sums.rows) {
    count_bins(low, span, open);
  } else {
    sort_bins(open);
  }
  return true;
}

void ForestBuilder::count_bins(std::uint32_t low, std::uint32_t span, const Open& open) {
  std::fill_n(counted_.begin(), span, Sums{});
  for (std::uint32_t i = open.begin; i < open.end; ++i) {
    const std::uint32_t row = rows_[i];
    add(counted_[node_ranks_[i - open.begin] - low], {row_a_[row], row_b_[row], 1});
  }
  for (std::uint32_t k = 0; k < span; ++k) {
    if (counted_[k].rows > 0) bins_.push_back({counted_[k], low + k});
  }
}

void ForestBuilder::sort_bins(const Open& open) {
  keys_.clear();
  for (std::uint32_t i = open.begin; i < open.end; ++i) {
    keys_.push_back(std::uint64_t{node_ranks_[i - open.begin]} << 32 | rows_[i]);
  }
  std::ranges::sort(keys_);
  for (const std::uint64_t key : keys_) {
    const auto rank = static_cast<std::uint32_t>(key >> 32);
    const auto row = static_cast<std::uint32_t>(key);
    if (bins_.empty() || bins_.back().rank != rank) bins_.push_back({{}, rank});
    add(bins_.back().sums, {row_a_[row], row_b_[row], 1});
  }
}

void ForestBuilder::look_at_column(std::uint32_t column, const Open& open, Split& best) {
  // A split between two adjacent bins of one and the same class is never better than one at the
  // ends of that run (Fayyad and Irani 1992), which are allowed unless leaves have a least size.
  const bool skips = settings_.criterion == SplitCriterion::kEntropy && settings_.min_leaf <= 1;
  const double parent = merit(open.sums);
  Sums left;
  for (std::size_t k = 0; k + 1 < bins_.size(); ++k) {
    const Sums& here = bins_[k].sums;
    const Sums& next = bins_[k + 1].sums;
    add(left, here);
    if (skips && ((here.a == 0 && next.a == 0) || (here.b == 0 && next.b == 0))) continue;
    const Sums right = rest(open.sums, left);
    if (left.rows < settings_.min_leaf || right.rows < settings_.min_leaf) continue;
    const double gain = merit(left) + merit(right) - parent;
    if (gain <= best.gain) continue;
    const double low = distinct_[column][bins_[k].rank];
    const double high = distinct_[column][bins_[k + 1].rank];
    const double middle = low / 2 + high / 2;
    best = {gain, middle < high ? middle : low, column, bins_[k].rank, true};
  }
}

// Not std::partition: the order it leaves is its own affair, and sums depend on it.
std::uint32_t ForestBuilder::partition(const Open& open, const Split& split) {
  const std::uint32_t* const ranks = ranks_.data() + std::size_t{split.column} * count_;
  std::uint32_t middle = open.begin;
  for (std::uint32_t i = open.begin; i < open.end; ++i) {
    if (ranks[rows_[i]] <= split.rank) std::swap(rows_[middle++], rows_[i]);
  }
  return middle;
}

// The more, the purer; additive over the children. Negative sum of squared residuals, up to a
// constant, or the log-likelihood of the classes.
double ForestBuilder::merit(const Sums& sums) const {
  if (settings_.criterion == SplitCriterion::kSquaredError) return sums.b * sums.b / sums.a;
  return x_log_x(sums.a) + x_log_x(sums.b) - x_log_x(sums.a + sums.b);
}

double ForestBuilder::value(const Sums& sums) const {
  if (settings_.criterion == SplitCriterion::kSquaredError) return centre_ + sums.b / sums.a;
  return sums.b / (sums.a + sums.b);
}

void ForestBuilder::add(Sums& sums, const Sums& more) {
  sums.a += more.a;
  sums.b += more.b;
  sums.rows += more.rows;
}

// What rounding leaves of an empty class counts as nothing.
ForestBuilder::Sums ForestBuilder::rest(const Sums& all, const Sums& part) {
  constexpr double kRounding = 1e-12;
  const auto difference = [](double x, double y) {
    const double d = x - y;
    return std::abs(d) <= kRounding * std::abs(x) ? 0 : d;
  };
  return {difference(all.a, part.a), difference(all.b, part.b), all.rows - part.rows};
}

}  // namespace nightshift::search
