#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/noise_profile.h"

namespace nightshift::search {

// A/A comparisons resampled from a series of visits of the same thing (in logarithms), for 4, 8,
// 16, ... pairs, as many as the series holds.
//   paired   neighbours (0, 1), (2, 3), ...: a stretch of successive pairs from a random place, a
//            coin for the order of each; kDraws of them
//   blocks   n values as A and the n after them as B: all places in the series
std::vector<AaPoint> aa_errors(std::span<const double> logs, std::uint64_t seed);

// Root mean square of the differences of neighbours (0, 1), (2, 3), ...: the standard deviation
// that a coin for their order gives them; 0 for fewer than two values.
double neighbour_sd(std::span<const double> logs);

}  // namespace nightshift::search
