#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "search/model/forest.h"

namespace nightshift::search {

// Grows the trees of a Forest. Columns are replaced by ranks once for all trees; a node then counts
// its rows into one bin a rank where that is cheaper than sorting them. Parameters take few values,
// so it nearly always is.
class ForestBuilder {
 public:
  ForestBuilder(const ForestSettings& settings, const PointTable& points,
                std::span<const double> targets, std::span<const double> weights);

  Forest build(std::uint64_t seed);

 private:
  // What a node's rows add up to, in terms of the criterion: weights of class 0 and class 1 for
  // entropy; weight and weighted target for squared error.
  struct Sums {
    double a = 0;
    double b = 0;
    std::uint32_t rows = 0;
  };
  struct Bin {
    Sums sums;
    std::uint32_t rank = 0;
  };
  struct Split {
    double gain = 0;  // in the criterion's `merit`
    double threshold = 0;
    std::uint32_t column = 0;
    std::uint32_t rank = 0;  // rows of at most this rank go left
    bool found = false;
  };
  struct Open {  // a node that waits for being split
    std::uint32_t node = 0;
    std::uint32_t begin = 0, end = 0;  // of `rows_`
    std::size_t depth = 0;
    Sums sums;
    bool pure = false;  // nothing to gain: all targets are equal
  };

  void rank_columns(const PointTable& points);
  bool draw_rows(base::Rng& rng);
  void grow_tree(base::Rng& rng);
  Open opened(std::uint32_t node, std::uint32_t begin, std::uint32_t end, std::size_t depth) const;
  void split_or_close(const Open& open, base::Rng& rng);
  bool is_final(const Open& open) const;
  Split best_split(const Open& open, base::Rng& rng);
  // Fills `bins_`, ascending; false where the column is constant in the node.
  bool make_bins(std::uint32_t column, const Open& open);
  void count_bins(std::uint32_t low, std::uint32_t span, const Open& open);
  void sort_bins(const Open& open);
  void look_at_column(std::uint32_t column, const Open& open, Split& best);
  std::uint32_t partition(const Open& open, const Split& split);

  double merit(const Sums& sums) const;
  double value(const Sums& sums) const;
  static void add(Sums& sums, const Sums& more);
  static Sums rest(const Sums& all, const Sums& part);

  ForestSettings settings_;
  std::size_t count_ = 0;     // rows
  std::size_t columns_ = 0;   // of the points
  std::size_t features_ = 0;  // looked at in a node
  double centre_ = 0;         // subtracted from targets of a regression, against cancellation
  std::vector<double> targets_, weights_;
  std::vector<std::uint32_t> ranks_;           // column after column
  std::vector<std::vector<double>> distinct_;  // by column: value of a rank

  Forest forest_;
  // Of the present tree: rows drawn, and what each adds to a node.
  std::vector<std::uint32_t> rows_;
  std::vector<double> row_a_, row_b_;
  std::vector<Open> open_;
  // Scratch.
  std::vector<std::uint32_t> order_;  // of columns
  std::vector<std::uint32_t> node_ranks_;
  std::vector<Bin> bins_;
  std::vector<Sums> counted_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace nightshift::search
