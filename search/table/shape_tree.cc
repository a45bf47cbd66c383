#include "search/table/shape_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace nightshift::search {
namespace {

constexpr double kNothing = 1e-9;

using Places = std::vector<std::size_t>;  // of shapes

// Costs of a set of shapes by choice, the default first; what may not be chosen is infinite.
class Side {
 public:
  explicit Side(std::size_t choices) : sums_(choices), worst_(choices) {}

  void add(double weight, const std::vector<double>& costs) {
    for (std::size_t i = 0; i < costs.size(); ++i) {
      sums_[i] += weight * costs[i];
      worst_[i] = std::max(worst_[i], costs[i]);
    }
    ++shapes_;
  }
  std::size_t best(double margin) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < sums_.size(); ++i) {
      if (worst_[i] <= std::log1p(margin) && sums_[i] < sums_[best] - kNothing) best = i;
    }
    return best;
  }
  double cost(double margin) const { return sums_[best(margin)]; }
  std::size_t shapes() const { return shapes_; }

 private:
  std::vector<double> sums_, worst_;
  std::size_t shapes_ = 0;
};

// The largest threshold that a whole number lies above: exact also where it is larger than 2^53.
double just_below(double whole) {
  constexpr double kExact = 9007199254740992;
  return whole <= kExact ? whole - 1 : std::nextafter(whole, 0.0);
}

// Values up to `below` go to one side, those from `above` on to the other.
struct Split {
  ShapeFeature feature;
  double below = 0, above = 0;
  double cost = 0;

  bool is_yes_or_no() const {
    return feature.kind == ShapeFeature::Kind::kDivisible ||
           feature.kind == ShapeFeature::Kind::kPowerOfTwo;
  }
  // Whole numbers in between belong to no side.
  bool has_gap() const { return !is_yes_or_no() && above > below + 1; }
};

class Grower {
 public:
  Grower(const TreeLessons& lessons, double margin)
      : lessons_(lessons),
        margin_(margin),
        least_(lessons.shapes.size() >= 4 ? 2 : 1),
        features_(features_of(lessons.shapes.empty() ? 0 : lessons.shapes.front().sizes.size())) {
    for (std::size_t s = 0; s < lessons.costs.size(); ++s) {
      std::vector<double>& own = costs_.emplace_back(1, 0.0);
      for (const std::size_t c : lessons.choices) {
        const bool is_barred = !lessons.barred.empty() && lessons.barred[s][c];
        own.push_back(is_barred ? std::numeric_limits<double>::infinity() : lessons.costs[s][c]);
      }
    }
  }

  ShapeTree grown(std::size_t depth) {
    Places all(lessons_.shapes.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    grow(all, depth);
    return std::move(tree_);
  }

 private:
  double weight(std::size_t shape) const { return lessons_.shapes[shape].weight; }

  Side side_of(const Places& shapes) const {
    Side side(lessons_.choices.size() + 1);
    for (const std::size_t s : shapes) side.add(weight(s), costs_[s]);
    return side;
  }

  std::size_t grow(const Places& shapes, std::size_t depth) {
    const std::size_t own = tree_.size();
    const Side side = side_of(shapes);
    const std::size_t best = side.best(margin_);
    TreeNode& node = tree_.emplace_back();
    node.choice = best == 0 ? 0 : lessons_.choices[best - 1];
    node.shapes = shapes.size();
    node.rests_on = shapes;
    if (depth == 0) return own;
    const std::optional<Split> split = best_split(shapes, side.cost(margin_));
    if (!split) return own;
    Places low, high;
    for (const std::size_t s : shapes) {
      const double value = value_of(split->feature, lessons_.shapes[s].sizes);
      (value <= split->below ? low : high).push_back(s);
    }
    const TreeNode unsure = tree_[own];  // what is good for both sides
    const std::size_t to_low = grow(low, depth - 1);
    const std::size_t middle = add_middle(*split, unsure, to_low);
    const std::size_t to_high = grow(high, depth - 1);
    join(own, *split, {to_low, middle, to_high});
    return own;
  }

  // The question between both sides, and its leaf; 0 where there is none.
  std::size_t add_middle(const Split& split, const TreeNode& unsure, std::size_t to_low) {
    const bool is_like_low = tree_[to_low].is_leaf && tree_[to_low].choice == unsure.choice;
    if (!split.has_gap() || is_like_low) return 0;
    const std::size_t middle = tree_.size();
    tree_.push_back(inner_node(split.feature, just_below(split.above), unsure.shapes));
    tree_.push_back(unsure);
    tree_[middle].low = middle + 1;
    return middle;
  }

  static TreeNode inner_node(const ShapeFeature& feature, double threshold, std::size_t shapes) {
    TreeNode node;
    node.is_leaf = false;
    node.feature = feature;
    node.threshold = threshold;
    node.shapes = shapes;
    return node;
  }

  // A split whose sides choose alike says nothing.
  struct Ways {
    std::size_t low, middle, high;
  };
  void join(std::size_t own, const Split& split, const Ways& ways) {
    const TreeNode& a = tree_[ways.low];
    const TreeNode& b = tree_[ways.high];
    if (a.is_leaf && b.is_leaf && a.choice == b.choice) {
      tree_[own].choice = a.choice;
      tree_.resize(own + 1);
      return;
    }
    const bool has_middle = ways.middle != 0;
    double threshold = has_middle ? split.below : just_below(split.above);
    if (split.is_yes_or_no()) threshold = (split.below + split.above) / 2;
    TreeNode node = inner_node(split.feature, threshold, tree_[own].shapes);
    node.low = ways.low;
    node.high = has_middle ? ways.middle : ways.high;
    if (has_middle) tree_[ways.middle].high = ways.high;
    tree_[own] = node;
  }

  std::optional<Split> best_split(const Places& shapes, double cost) const {
    std::optional<Split> best;
    for (const ShapeFeature& feature : features_) {
      const std::optional<Split> split = best_of(feature, shapes);
      const double so_far = best ? best->cost : cost;
      if (split && split->cost < so_far - kNothing) best = split;
    }
    return best;
  }

  // Sides of all thresholds of one feature: from the left, and from the right.
  std::optional<Split> best_of(const ShapeFeature& feature, const Places& shapes) const {
    std::vector<std::pair<double, std::size_t>> order;
    for (const std::size_t s : shapes) {
      order.emplace_back(value_of(feature, lessons_.shapes[s].sizes), s);
    }
    std::ranges::sort(order);
    if (order.front().first == order.back().first) return std::nullopt;
    std::vector<double> behind(order.size());  // cost of all from there on
    Side high(lessons_.choices.size() + 1);
    for (std::size_t i = order.size(); i-- > 0;) {
      high.add(weight(order[i].second), costs_[order[i].second]);
      behind[i] = high.cost(margin_);
    }
    std::optional<Split> best;
    Side low(lessons_.choices.size() + 1);
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      low.add(weight(order[i].second), costs_[order[i].second]);
      if (order[i].first == order[i + 1].first) continue;
      if (i + 1 < least_ || order.size() - i - 1 < least_) continue;
      const double cost = low.cost(margin_) + behind[i + 1];
      if (!best || cost < best->cost) {
        best = Split{feature, order[i].first, order[i + 1].first, cost};
      }
    }
    return best;
  }

  const TreeLessons& lessons_;
  double margin_;
  std::size_t least_;  // shapes of a leaf
  std::vector<ShapeFeature> features_;
  std::vector<std::vector<double>> costs_;  // of the default and the choices, by shape
  ShapeTree tree_;
};

}  // namespace

ShapeTree grown_tree(const TreeLessons& lessons, std::size_t depth, double margin) {
  if (lessons.shapes.empty()) return ShapeTree(1);
  return Grower(lessons, margin).grown(depth);
}

std::size_t leaf_of(const ShapeTree& tree, const Sizes& sizes) {
  std::size_t at = 0;
  while (!tree[at].is_leaf) {
    const TreeNode& node = tree[at];
    at = value_of(node.feature, sizes) <= node.threshold ? node.low : node.high;
  }
  return at;
}

}  // namespace nightshift::search
