#pragma once

#include <cstddef>
#include <span>

#include "search/statistics/interval.h"

namespace nightshift::search {

// Where values lie and how far they scatter. Everything is in the unit of the values.
//
// An empty span gives zeros. A NaN among the values makes the result NaN (for `summarise` it is
// the caller's fault: asserted); infinities are ordered like numbers, and means of them follow
// arithmetic. All forms keep their digits at large offsets (1e9 + {0..4}).

// Of a normal distribution: its standard deviation over its median absolute deviation.
inline constexpr double kMadToSd = 1.4826;

// Robust summary of repetitions.
struct Summary {
  std::size_t count = 0;
  double mean = 0, sd = 0;     // sd with n-1; 0 for n < 2; two-pass, safe at large offsets
  double median = 0, mad = 0;  // mad scaled by 1.4826: estimates sd under normality
  double min = 0, max = 0;
  double median_error = 0;  // standard error of the median, from the distribution-free
                            // order-statistic interval; falls back to 1.2533 sd/sqrt(n) for n < 6
};
Summary summarise(std::span<const double> values);

double mean_of(std::span<const double> values);
double sd_of(std::span<const double> values);        // n-1, two-pass; 0 for n < 2
double variance_of(std::span<const double> values);  // the same, squared
double median_of(std::span<const double> values);
double mad_of(std::span<const double> values);  // median |x - median|, times kMadToSd

// The mean of what is left when the floor(n * share) smallest and as many largest are taken away;
// 0 <= share < 0.5.
double trimmed_mean(std::span<const double> values, double share);

// The type-7 quantile, of R and NumPy: linear between the order statistics at q (n - 1); q is
// brought into [0, 1]. An infinite neighbour with any weight makes it infinite.
double quantile_of(std::span<const double> values, double q);

// The order statistics, counted from 1, between which the median of the population lies with at
// least the confidence asked for, whatever the distribution: the narrowest symmetric pair by
// binomial(n, 1/2). Both are 0 where n values cannot give that much (n < 6 at 95 %).
struct MedianRanks {
  std::size_t low = 0, high = 0;
  double coverage = 0;  // what the pair covers in truth, at least the confidence
};
MedianRanks median_ranks(std::size_t n, double confidence);
Interval median_interval(std::span<const double> values, double confidence);  // kUnbounded if none

// The variance that rounding to ticks adds to a value: tick^2 / 12, that of a uniform error. Of
// the logarithm of a time t it is rounding_variance(tick / t).
double rounding_variance(double tick);

}  // namespace nightshift::search
