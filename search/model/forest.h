#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nightshift::search {

// Points for a model: row after row, `columns` doubles each, none of them NaN.
struct PointTable {
  std::span<const double> values;
  std::size_t columns = 0;

  std::size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
  std::span<const double> row(std::size_t i) const { return values.subspan(i * columns, columns); }
};

// What a split is to lower. For two classes squared error is Gini's impurity: the variance of a
// 0/1 target with the share p of ones is p (1 - p).
enum class SplitCriterion : std::uint8_t {
  kSquaredError,  // regression on any targets, or two classes by Gini
  kEntropy,       // two classes, targets 0 and 1 (log loss)
};

struct ForestSettings {
  SplitCriterion criterion = SplitCriterion::kSquaredError;
  std::size_t trees = 100;
  std::size_t max_depth = 0;     // 0: until the leaves are pure
  std::size_t min_to_split = 2;  // distinct rows in a node
  std::size_t min_leaf = 1;      // distinct rows in each child
  // Columns looked at in a node, drawn without replacement; more where all of those are constant
  // there. 0: all.
  std::size_t max_features = 0;
  bool bootstrap = true;  // each tree sees rows drawn with replacement, as many as there are
};

// Random forest (Breiman 2001) of CART trees: binary splits at midpoints between the adjacent
// values of a column, the leaves' values weighted means of their rows, a prediction the mean over
// trees. For classes the prediction is the probability of class 1.
//
// Row weights multiply the bootstrap counts; rows of weight zero take no part. Follows scikit-learn
// in all of that, so that published searchers on it are rebuilt faithfully; agreement is
// statistical, the random numbers are ours. The same arguments give the same forest everywhere.
class Forest {
 public:
  Forest() = default;  // no trees: predicts 0
  // `weights` may be empty: all 1. At least one row of positive weight, else no trees are grown.
  static Forest fit(const ForestSettings& settings, const PointTable& points,
                    std::span<const double> targets, std::span<const double> weights,
                    std::uint64_t seed);

  std::size_t trees() const { return roots_.size(); }
  std::size_t nodes() const { return nodes_.size(); }
  bool empty() const { return roots_.empty(); }

  double predict(std::span<const double> point) const;
  void predict(const PointTable& points, std::span<double> means) const;
  // Also the variance between the trees' predictions (divided by their number).
  void predict(const PointTable& points, std::span<double> means,
               std::span<double> variances) const;
  double predict_tree(std::size_t tree, std::span<const double> point) const;

  // leaves[tree * rows + row]: two points share a leaf of a tree where its numbers are equal.
  void leaves(const PointTable& points, std::span<std::uint32_t> leaves) const;

  // Columns that the tree looks at on the way of `point` to its leaf, from the root on, repeats
  // included.
  std::vector<std::uint32_t> path(std::size_t tree, std::span<const double> point) const;

  // Each column's share of what all splits lowered the criterion by; sums to 1, or to 0 where
  // nothing was split.
  const std::vector<double>& importance() const { return importance_; }

  // A leaf is its own child behind a threshold that nothing exceeds, so that several points can go
  // down together without asking which has arrived.
  struct Node {
    double threshold = 0;     // goes left where coordinate <= threshold
    std::uint32_t child = 0;  // the left one; the right one follows it
    std::uint32_t column = 0;
  };

  // For who walks over all leaves.
  std::uint32_t root(std::size_t tree) const { return roots_[tree]; }
  const Node& node(std::uint32_t at) const { return nodes_[at]; }
  bool is_leaf(std::uint32_t at) const { return nodes_[at].child == at; }
  double value(std::uint32_t leaf) const { return values_[leaf]; }

 private:
  friend class ForestBuilder;

  template <class Each>
  void for_each_leaf(const PointTable& points, const Each& each) const;
  std::uint32_t leaf_of(std::size_t tree, std::span<const double> point) const;

  std::vector<Node> nodes_;
  std::vector<double> values_;  // by node; meaningful for leaves
  std::vector<std::uint32_t> roots_;
  std::vector<double> importance_;
};

}  // namespace nightshift::search
