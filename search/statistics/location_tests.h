#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "search/statistics/interval.h"

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
// kUnbounded where the error is not known or 0.
Interval interval_of(const TTest& test, double confidence);

// Welch (1947): mean(x) - mean(y) with variances of their own, Satterthwaite's degrees of freedom,
// Cohen's d by the root mean square of both standard deviations. Each variance is at least
// `variance_floor` (rounding_variance(tick) for times); where both are 0 all the same, whatever
// the difference, there is no evidence: p = 1, t = 0. n < 2 on a side: p = 1.
TTest welch_test(std::span<const double> x, std::span<const double> y, double variance_floor = 0);

// Student's test of the mean of differences, df = n - 1, with the same floor and the same rule.
TTest paired_t(std::span<const double> differences, double variance_floor = 0);

// x[i] - y[i]; as many as the shorter has.
std::vector<double> differences_of(std::span<const double> x, std::span<const double> y);
// ln x[i] - ln y[i]: of times of an incumbent x and a candidate y, positive where the candidate
// is faster. NaN or infinite where a time is not positive, so that the tests then show nothing.
std::vector<double> log_ratios(std::span<const double> x, std::span<const double> y);

// The mean of logarithms of ratios as a factor, with its interval.
struct SpeedUp {
  double factor = 1;               // exp(mean): the geometric mean of the ratios
  double improvement_percent = 0;  // of the time: 100 (1 - 1 / factor)
  Interval interval{0, std::numeric_limits<double>::infinity()};  // of the factor
};
SpeedUp speed_up_of(const TTest& log_ratio_test, double confidence = 0.95);
// The same from factors, such as the speed-ups of several problems. n < 2 or a factor that is not
// positive and finite: no interval, in the latter case no factor.
SpeedUp geometric_mean(std::span<const double> factors, double confidence = 0.95);

}  // namespace nightshift::search
