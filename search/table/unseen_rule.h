#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/table/shape_tree.h"

namespace nightshift::search {

// What a table answers for a call that nobody measured: what the tree says, but the default where no
// measured shape vouches for it.

struct SizeRange {
  std::int64_t least = 1, most = 1;  // of the measured shapes
};
struct UnseenRule {
  ShapeTree tree;
  std::vector<SizeRange> ranges;  // by size
  // By candidate, then by size: the power of two that divides this size in every shape on which the
  // candidate ran and was right. Whether it is right of other sizes nobody knows.
  std::vector<std::vector<std::int64_t>> divisors;
};

struct UnseenAnswer {
  enum class Why : std::uint8_t {
    kLeaf,       // the tree says so
    kOutside,    // a size is less or more than any that was measured: the default
    kUnvouched,  // a size lacks a divisor of the candidate that the tree says: the default
  } why = Why::kLeaf;
  std::size_t choice = 0;  // a candidate; 0: the default
  std::size_t leaf = 0;    // where the tree ended
  std::size_t size = 0;    // of kOutside and kUnvouched: which
};

// A cost of kUnusable (shape_matrix.h) says that the candidate did not run on that shape.
UnseenRule learned_rule(const TreeLessons& lessons, std::size_t depth, double margin);
UnseenAnswer answer_of(const UnseenRule& rule, const Sizes& sizes);

// How well rules of a depth do on a shape that they have not seen: each shape is left out once.
struct LeftOut {
  std::size_t depth = 0;
  double geometric_mean = 1;  // of the answers / the default, weighted
  double of_best = 1;         // of the answers / the best choice of each shape, weighted
  double worst = 1;           // of an answer / the default, on the worst shape; unusable: infinite
};
std::vector<LeftOut> left_out(const TreeLessons& lessons, std::size_t most_depth, double margin);

// The least depth whose mean is within a thousandth of the best of those whose worst answer loses
// at most the slack to the default; 0 where there is none.
std::size_t depth_of(const std::vector<LeftOut>& errors, double slack);

}  // namespace nightshift::search
