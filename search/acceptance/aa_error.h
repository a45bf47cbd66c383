#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nightshift::search {

// What an A/A comparison of so many pairs would have said, resampled from the evaluations: once as
// pairs of neighbours in random order, once as a block of A and then a block of B.
struct AaPoint {
  std::size_t pairs = 0;
  double paired_error = 0, paired_high = 0;  // mean and 95 % quantile of |difference|
  double paired_false = 0;       // share with p < 5 %, t test of the differences; both sides
  std::size_t block_places = 0;  // in the series: few say little, and overlap
  double block_error = 0, block_high = 0;
  double block_false = 0;  // share with p < 5 %, Welch
};

// A/A comparisons resampled from a series of evaluations of the same thing (in logarithms), for 4,
// 8, 16, ... pairs, as many as the series holds.
//   paired   neighbours (0, 1), (2, 3), ...: a stretch of successive pairs from a random place, a
//            coin for the order of each; kDraws of them
//   blocks   n values as A and the n after them as B: all places in the series
std::vector<AaPoint> aa_errors(std::span<const double> logs, std::uint64_t seed);

// Root mean square of the differences of neighbours (0, 1), (2, 3), ...: the standard deviation
// that a coin for their order gives them; 0 for fewer than two values.
double neighbour_sd(std::span<const double> logs);

}  // namespace nightshift::search
