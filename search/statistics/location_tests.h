#pragma once

#include <cstddef>
#include <limits>
#include <span>

namespace nightshift::search {

// Is one set of values larger than another? The t tests. What is common to all: values that are
// not finite or too few values show nothing, p = 1; no p is NaN.

// Of a mean effect.
struct TTest {
  double effect = 0;  // 0 as well where a value is not finite
  double error = std::numeric_limits<double>::infinity();
  double df = 0;
  double t = 0;
  double p_greater = 1;    // one-sided: of an effect of 0 or below
  double p_two_sided = 1;  // of no effect
  double cohens_d = 0;     // the effect in standard deviations of a value; 0 where these are 0
};

// Welch (1947): mean(x) - mean(y) with variances of their own, Satterthwaite's degrees of freedom,
// Cohen's d by the root mean square of both standard deviations. Each variance is at least
// `variance_floor` (rounding_variance(tick) for times); where both are 0 all the same, whatever
// the difference, there is no evidence: p = 1, t = 0. n < 2 on a side: p = 1.
TTest welch_test(std::span<const double> x, std::span<const double> y, double variance_floor = 0);

// Student's test of the mean of differences, df = n - 1, with the same floor and the same rule.
TTest paired_t(std::span<const double> differences, double variance_floor = 0);

}  // namespace nightshift::search
