#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "search/statistics/interval.h"

namespace nightshift::search {

// Tests and intervals out of the data alone, by rearranging them. Up to a million arrangements
// are all counted, and the result has no chance in it; of more, a seeded draw is taken, the same
// on every machine. Values that are not finite show nothing.
//
// Arrangements whose statistic equals that of the data mathematically, but not in its last bits,
// count as equal: an error of p upwards.

struct Resampling {
  std::uint64_t seed = 1;
  std::size_t draws = 10'000;  // where not all arrangements are counted; at least 1
};

struct PermutationTest {
  double effect = 0;
  double p_greater = 1;  // of arrangements with an effect at least as large
  double p_two_sided = 1;
  bool exact = false;
};
// The mean of paired differences against all ways to turn their signs (Fisher 1935): exact
// whatever the noise where the order within each pair was drawn by a coin. All 2^n up to n = 20;
// of a draw p = (1 + count) / (1 + draws).
PermutationTest sign_flip_test(std::span<const double> differences, const Resampling& how = {});
// mean(x) - mean(y) against all divisions of the values into two such sets (Pitman 1937); an
// empty side shows nothing.
PermutationTest permutation_test(std::span<const double> x, std::span<const double> y,
                                 const Resampling& how = {});

using Statistic = std::function<double(std::span<const double>)>;

// The bootstrap (Efron 1979): the statistic of resamples with replacement, all n^n up to n = 7.
// Quantiles are of type 7. BCa corrects bias by the share of resamples strictly below the data's
// statistic, and skewness by the jackknife (Efron 1987):
//   levels Phi(z0 + (z0 +- z) / (1 - a (z0 +- z)))
// No values: the statistic of nothing, kUnbounded. A statistic that is the same for all resamples:
// a point. The statistic must be finite on finite values.
struct Bootstrap {
  double value = 0;           // of the data
  double standard_error = 0;  // standard deviation over resamples
  Interval percentile = kUnbounded;
  Interval bca = kUnbounded;
  double share_below = 0;  // of resamples, strictly
  double bias_z0 = 0;
  double acceleration = 0;
  Interval bca_levels;  // quantiles of the resamples that are the ends of `bca`
  bool exact = false;
};
Bootstrap bootstrap(std::span<const double> values, const Statistic& statistic,
                    double confidence = 0.95, const Resampling& how = {});

}  // namespace nightshift::search
