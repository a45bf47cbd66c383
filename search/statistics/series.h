#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace nightshift::search {

// Values in the order in which they were measured: successive launches resemble each other, so
// n of them are worth fewer than n independent ones. NaN or infinities among the values: nothing
// is known, each function returns what it says of an empty series.

// Autocorrelations at lags 1..lags, each covariance over n times the variance (the usual biased
// form, between -1 and 1). 0 where the lag is n or more, or all values are equal.
std::vector<double> autocorrelation(std::span<const double> series, std::size_t lags);

// Ljung and Box (1978): Q = n (n + 2) sum of r_k^2 / (n - k), chi-squared with `lags` degrees of
// freedom under independence. Lags end at n - 1; p = 1 for fewer than two or equal values.
struct LjungBox {
  double q = 0;
  double p = 1;
};
LjungBox ljung_box(std::span<const double> series, std::size_t lags);

// How well a mean is known while it is being measured, for deciding on further repetitions:
//   r1 = max(0, lag-1 autocorrelation)             effective_n = n (1 - r1) / (1 + r1)
//   error^2 = s^2/n (1 + r1) / (1 - r1) + tick^2 / 12 / n
//   half_width = t((1 + confidence) / 2, effective_n - 1) error
// `tick` is the resolution of the timer, in the unit of the values. This bounds the noise within
// one evaluation only; that from evaluation to evaluation is larger. Fewer than two values: nothing
// is known, error and half width are infinite; so is the half width where effective_n <= 1.
struct MeanPrecision {
  double mean = 0;
  double error = std::numeric_limits<double>::infinity();
  double effective_n = 0;
  double half_width = std::numeric_limits<double>::infinity();

  // Half width no more than `share` of the mean; never of a mean of 0 or below.
  bool within(double share) const { return half_width <= share * mean; }
};

// The most likely place of one step: the split with the largest |t| of Welch between the two
// sides, each of at least three values. `first_after` is the position of the first value of the
// second side, 0 where there are fewer than six values or all are equal. A step between two sides
// without any scatter has an infinite t. The largest of many t: compare it with far more than 2.
struct SingleChangePoint {
  std::size_t first_after = 0;
  double abs_t = 0;
};
SingleChangePoint single_change_point(std::span<const double> series);

}  // namespace nightshift::search
