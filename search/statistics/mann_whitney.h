#pragma once

#include <cstddef>
#include <span>

namespace nightshift::search {

// Is one set of values larger, by ranks alone? Whatever the distribution, and outliers count no
// more than their rank. Values that are not finite or a side without values show nothing: p = 1.
// Mann and Whitney (1947): U counts the pairs with x above y, ties half.
struct MannWhitney {
  double u = 0;
  double p_two_sided = 1;
  double p_less = 1;     // that x is no smaller than y
  double p_greater = 1;  // that x is no larger than y
  bool exact = false;
};
// By counting all divisions of the ranks; with ties those of the tied ranks. Of two sides of 50
// values it takes some 50 ms, and grows with the square of either.
MannWhitney mann_whitney_exact(std::span<const double> x, std::span<const double> y);
// By the normal distribution with the variance corrected for ties, and half a step for continuity
// if asked for. All values equal: p = 1.
MannWhitney mann_whitney_normal(std::span<const double> x, std::span<const double> y,
                                bool continuity = true);
// Exact where there are no ties and n m <= 2500, else by the normal distribution.
MannWhitney mann_whitney(std::span<const double> x, std::span<const double> y);

}  // namespace nightshift::search
