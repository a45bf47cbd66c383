#include "search/importance/tree_variance.h"

#include <algorithm>
#include <cstdint>

namespace nightshift::search {

namespace {

// The levels that are left of a parameter, a bit each.
using Mask = std::uint32_t;
static_assert(ParameterLevels::kMost < 32);

bool has(Mask mask, std::size_t level) { return (mask >> level & 1U) != 0; }

// Sums of leaves over the levels of two parameters, kept apart by which of the two a leaf depends
// on: most depend on neither.
struct PairSums {
  double neither = 0;
  std::vector<double> first, second, both;
};

class Walk {
 public:
  Walk(const Forest& tree, const ParameterLevels& levels, const std::vector<ParameterPair>& pairs)
      : tree_(tree), levels_(levels), pairs_(pairs), unrestricted_(levels.size()) {
    for (std::size_t p = 0; p < levels.size(); ++p) {
      masks_.push_back(static_cast<Mask>((1U << levels.count(p)) - 1));
      restricted_.push_back(0);
      result_.means.emplace_back(levels.count(p));
    }
    for (const auto& [p, q] : pairs) {
      sums_.push_back({0, std::vector<double>(levels.count(p)),
                       std::vector<double>(levels.count(q)),
                       std::vector<double>(levels.count(p) * levels.count(q))});
    }
    fractions_.assign(levels.size(), 1);
  }

  TreeVariance run() {
    visit(tree_.root(0));
    result_.variance = std::max(0.0, squares_ - result_.mean * result_.mean);
    for (std::size_t p = 0; p < levels_.size(); ++p) {
      for (double& mean : result_.means[p]) mean += unrestricted_[p];
      result_.mains.push_back(main_of(p));
    }
    for (std::size_t k = 0; k < pairs_.size(); ++k) result_.pairs.push_back(pair_of(k));
    return std::move(result_);
  }

 private:
  void visit(std::uint32_t at) {
    if (tree_.is_leaf(at)) {
      add_leaf(tree_.value(at));
      return;
    }
    const Forest::Node& node = tree_.node(at);
    const std::size_t p = levels_.parameter_of(node.column);
    Mask left = 0;
    for (std::size_t level = 0; level < levels_.count(p); ++level) {
      if (levels_.coordinate(node.column, level) <= node.threshold) left |= Mask{1} << level;
    }
    const Mask whole = masks_[p];
    const double fraction = fractions_[p];
    ++restricted_[p];
    descend(node.child, p, whole & left);
    descend(node.child + 1, p, whole & ~left);
    --restricted_[p];
    masks_[p] = whole;
    fractions_[p] = fraction;
  }

  void descend(std::uint32_t child, std::size_t p, Mask mask) {
    if (mask == 0) return;  // no value is there
    masks_[p] = mask;
    fractions_[p] = 0;
    for (std::size_t level = 0; level < levels_.count(p); ++level) {
      if (has(mask, level)) fractions_[p] += levels_.weight(p, level);
    }
    visit(child);
  }

  void add_leaf(double value) {
    double volume = 1;
    for (const double fraction : fractions_) volume *= fraction;
    const double sum = value * volume;
    result_.mean += sum;
    squares_ += value * sum;
    for (std::size_t p = 0; p < levels_.size(); ++p) {
      if (restricted_[p] == 0) {
        unrestricted_[p] += sum;
      } else {
        add_to(result_.means[p], p, sum / fractions_[p]);
      }
    }
    for (std::size_t k = 0; k < pairs_.size(); ++k) add_pair(k, sum);
  }

  void add_to(std::vector<double>& sums, std::size_t p, double sum) const {
    for (std::size_t level = 0; level < sums.size(); ++level) {
      if (has(masks_[p], level)) sums[level] += sum;
    }
  }

  void add_pair(std::size_t k, double sum) {
    const auto& [p, q] = pairs_[k];
    PairSums& sums = sums_[k];
    if (restricted_[p] == 0 && restricted_[q] == 0) {
      sums.neither += sum;
    } else if (restricted_[q] == 0) {
      add_to(sums.first, p, sum / fractions_[p]);
    } else if (restricted_[p] == 0) {
      add_to(sums.second, q, sum / fractions_[q]);
    } else {
      const double each = sum / fractions_[p] / fractions_[q];
      for (std::size_t i = 0; i < sums.first.size(); ++i) {
        for (std::size_t j = 0; has(masks_[p], i) && j < sums.second.size(); ++j) {
          if (has(masks_[q], j)) sums.both[i * sums.second.size() + j] += each;
        }
      }
    }
  }

  double main_of(std::size_t p) const {
    double squares = 0;
    for (std::size_t level = 0; level < levels_.count(p); ++level) {
      const double apart = result_.means[p][level] - result_.mean;
      squares += levels_.weight(p, level) * apart * apart;
    }
    return squares;
  }

  double pair_of(std::size_t k) const {
    const auto& [p, q] = pairs_[k];
    const PairSums& sums = sums_[k];
    double squares = 0;
    for (std::size_t i = 0; i < sums.first.size(); ++i) {
      for (std::size_t j = 0; j < sums.second.size(); ++j) {
        const double mean =
            sums.neither + sums.first[i] + sums.second[j] + sums.both[i * sums.second.size() + j];
        const double beyond = mean - result_.means[p][i] - result_.means[q][j] + result_.mean;
        squares += levels_.weight(p, i) * levels_.weight(q, j) * beyond * beyond;
      }
    }
    return squares;
  }

  const Forest& tree_;
  const ParameterLevels& levels_;
  const std::vector<ParameterPair>& pairs_;
  // Of the present node, by parameter.
  std::vector<Mask> masks_;
  std::vector<double> fractions_;
  std::vector<int> restricted_;  // splits above it

  std::vector<double> unrestricted_;  // of leaves that do not depend on the parameter
  std::vector<PairSums> sums_;
  double squares_ = 0;
  TreeVariance result_;
};

}  // namespace

TreeVariance tree_variance(const Forest& tree, const ParameterLevels& levels,
                           const std::vector<ParameterPair>& pairs) {
  return Walk(tree, levels, pairs).run();
}

}  // namespace nightshift::search
