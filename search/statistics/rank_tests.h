#pragma once

#include <cstddef>
#include <span>

#include "search/statistics/interval.h"

namespace nightshift::search {

// Is one set of values larger, by ranks and signs alone? Whatever the distribution, and outliers
// count no more than their rank. Values that are not finite or a side without values show nothing:
// p = 1.

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

// The median of all differences x - y: what shift makes x and y alike (Hodges and Lehmann 1963).
// 0 where a side is empty or a value not finite.
double hodges_lehmann_shift(std::span<const double> x, std::span<const double> y);
// P(x > y) - P(x < y), from -1 to 1 (Cliff 1993); 0 where a side is empty or a value not finite.
double cliffs_delta(std::span<const double> x, std::span<const double> y);

// Wilcoxon's signed ranks (1945), against differences symmetric around 0. Differences of 0 are
// left out; ties share their mean rank. Exact over all signs up to 200 differences, beyond that by
// the normal distribution.
struct WilcoxonSignedRank {
  double w_plus = 0;   // sum of the ranks of the positive differences
  double w_minus = 0;  // and of the negative ones
  std::size_t n = 0;   // differences other than 0
  double p_two_sided = 1;
  double p_greater = 1;  // of differences that are no more often, or less far, positive
  bool exact = false;
};
WilcoxonSignedRank wilcoxon_signed_rank(std::span<const double> differences);
// The median of the means of all pairs of differences, each with itself included.
double hodges_lehmann_centre(std::span<const double> differences);

// The sign test: `positives` of n, against a chance of one half each.
struct SignTest {
  double p_two_sided = 1;
  double p_greater = 1;
  Interval share{0, 1};  // of positives, Clopper and Pearson (1934)
};
SignTest sign_test(std::size_t positives, std::size_t n, double confidence = 0.95);
// Of differences; those of 0 are left out.
SignTest sign_test(std::span<const double> differences, double confidence = 0.95);

}  // namespace nightshift::search
