#include "search/model/forest.h"

#include <algorithm>
#include <array>

namespace nightshift::search {

namespace {

// Points that go down a tree together: enough to hide the latency of the loads.
constexpr std::size_t kLanes = 8;

}  // namespace

std::uint32_t Forest::leaf_of(std::size_t tree, std::span<const double> point) const {
  std::uint32_t node = roots_[tree];
  for (;;) {
    const Node& at = nodes_[node];
    if (at.child == node) return node;
    node = at.child + (point[at.column] > at.threshold ? 1U : 0U);
  }
}

template <class Each>
void Forest::for_each_leaf(const PointTable& points, const Each& each) const {
  const std::size_t rows = points.rows();
  const Node* const nodes = nodes_.data();
  for (std::size_t tree = 0; tree < roots_.size(); ++tree) {
    std::size_t row = 0;
    for (; row + kLanes <= rows; row += kLanes) {
      std::array<std::uint32_t, kLanes> at;
      at.fill(roots_[tree]);
      const double* const first = points.values.data() + row * points.columns;
      for (bool moved = true; moved;) {
        std::uint32_t differences = 0;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          const Node& node = nodes[at[lane]];
          const double x = first[lane * points.columns + node.column];
          const std::uint32_t next = node.child + (x > node.threshold ? 1U : 0U);
          differences |= next ^ at[lane];
          at[lane] = next;
        }
        moved = differences != 0;
      }
      for (std::size_t lane = 0; lane < kLanes; ++lane) each(tree, row + lane, at[lane]);
    }
    for (; row < rows; ++row) each(tree, row, leaf_of(tree, points.row(row)));
  }
}

double Forest::predict_tree(std::size_t tree, std::span<const double> point) const {
  return values_[leaf_of(tree, point)];
}

double Forest::predict(std::span<const double> point) const {
  double sum = 0;
  for (std::size_t tree = 0; tree < trees(); ++tree) sum += predict_tree(tree, point);
  return empty() ? 0 : sum / static_cast<double>(trees());
}

void Forest::predict(const PointTable& points, std::span<double> means) const {
  std::ranges::fill(means, 0);
  if (empty()) return;
  for_each_leaf(points, [&](std::size_t, std::size_t row, std::uint32_t leaf) {
    means[row] += values_[leaf];
  });
  for (double& mean : means) mean /= static_cast<double>(trees());
}

void Forest::predict(const PointTable& points, std::span<double> means,
                     std::span<double> variances) const {
  predict(points, means);
  std::ranges::fill(variances, 0);
  if (empty()) return;
  for_each_leaf(points, [&](std::size_t, std::size_t row, std::uint32_t leaf) {
    const double residual = values_[leaf] - means[row];
    variances[row] += residual * residual;
  });
  for (double& variance : variances) variance /= static_cast<double>(trees());
}

void Forest::leaves(const PointTable& points, std::span<std::uint32_t> leaves) const {
  const std::size_t rows = points.rows();
  for_each_leaf(points, [&](std::size_t tree, std::size_t row, std::uint32_t leaf) {
    leaves[tree * rows + row] = leaf;
  });
}

std::vector<std::uint32_t> Forest::path(std::size_t tree, std::span<const double> point) const {
  std::vector<std::uint32_t> columns;
  for (std::uint32_t node = roots_[tree]; nodes_[node].child != node;) {
    const Node& at = nodes_[node];
    columns.push_back(at.column);
    node = at.child + (point[at.column] > at.threshold ? 1U : 0U);
  }
  return columns;
}

}  // namespace nightshift::search
