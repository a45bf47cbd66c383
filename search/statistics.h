#pragma once

#include <cstddef>
#include <span>

namespace nightshift::search {

// Robust summary of repetitions; all in the unit of the samples.
struct Summary {
  std::size_t count = 0;
  double mean = 0, sd = 0;     // sd with n-1; 0 for n < 2; two-pass, safe at large offsets
  double median = 0, mad = 0;  // mad scaled by 1.4826: estimates sd under normality
  double min = 0, max = 0;
  double median_error = 0;  // standard error of the median, from the distribution-free
                            // order-statistic interval; falls back to 1.2533 sd/sqrt(n) for n < 6
};
// NaN values are the caller's fault (CHECK in debug). An empty span gives count 0 and zeros.
Summary summarise(std::span<const double> values);

double mean_of(std::span<const double> values);
double median_of(std::span<const double> values);
double sd_of(std::span<const double> values);  // n-1, two-pass

// Welch's t test of mean(a) < mean(b), one-sided, with the Welch-Satterthwaite degrees of freedom.
// n < 2 on a side, or zero variance on both with equal means: p = 1 (nothing is shown).
struct WelchResult {
  double t = 0;
  double df = 0;
  double p = 1;
};
WelchResult welch_less(std::span<const double> a, std::span<const double> b);

struct Interval {
  double low = 0;
  double high = 0;
};
// Two-sided interval for mean(a)/mean(b) at the given confidence (0.95), by the delta method on
// the logs of the means with Welch's degrees of freedom. Needs positive means; n < 2 gives [0,
// inf).
Interval ratio_interval(std::span<const double> a, std::span<const double> b, double confidence);

}  // namespace nightshift::search
