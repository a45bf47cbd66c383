#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/table/shape_tree.h"

namespace nightshift::search {

// What a table answers for a call that nobody measured: what the tree says, but the default where no
// measured shape vouches for it.

struct UnseenRule {
  ShapeTree tree;
  std::vector<SizeRange> ranges;  // by size
  // By candidate, then by size: what divides this size in every shape on which the candidate ran and
  // was right, of powers of two and of its own values. Whether it is right of other sizes nobody knows.
  std::vector<std::vector<std::int64_t>> divisors;
  // By candidate: what its constraints ask of the sizes. Empty: there are none, or nobody knows.
  std::vector<std::vector<SizeCondition>> conditions = {};

  const std::vector<SizeCondition>& conditions_of(std::size_t candidate) const {
    static const std::vector<SizeCondition> kNone;
    return candidate < conditions.size() ? conditions[candidate] : kNone;
  }
};

struct UnseenAnswer {
  enum class Why : std::uint8_t {
    kLeaf,       // the tree says so
    kOutside,    // a size is less or more than any that was measured: the default
    kUnvouched,  // a size lacks a divisor of the candidate that the tree says: the default
    kForbidden,  // a constraint of that candidate does not hold, or cannot be asked: the default
  } why = Why::kLeaf;
  std::size_t choice = 0;     // a candidate; 0: the default
  std::size_t leaf = 0;       // where the tree ended
  std::size_t size = 0;       // of kOutside and kUnvouched: which
  std::size_t condition = 0;  // of kForbidden: which of the candidate
};

// A cost of kUnusable (shape_matrix.h) says that the candidate did not run on that shape.
UnseenRule learned_rule(const TreeLessons& lessons, std::size_t depth, double margin);
UnseenAnswer answer_of(const UnseenRule& rule, const Sizes& sizes);

// How well rules of a depth do on a shape that they have not seen: each shape is left out once. Shapes on
// which their answer does not run are in no figure.
struct LeftOut {
  std::size_t depth = 0;
  double geometric_mean = 1;  // of the answers / the default, weighted
  double of_best = 1;         // of the answers / the best choice of each shape, weighted
  double worst = 1;           // of an answer / the default, on the worst shape
  std::size_t failed = 0;     // shapes on which the answer does not run
};
std::vector<LeftOut> left_out(const TreeLessons& lessons, std::size_t most_depth, double margin);

// Of those whose answers fail to run on the fewest shapes and whose worst answer loses at most the slack
// to the default, the least depth whose mean is within a thousandth of the best; where there is none, the
// least of those with the fewest.
std::size_t depth_of(const std::vector<LeftOut>& errors, double slack);

}  // namespace nightshift::search
