#include "search/statistics.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/complement.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cassert>
#include <cmath>
#include <limits>
#include <vector>

#include "search/student.h"

namespace nightshift::search {

namespace {

constexpr double kMadToSd = 1.4826;  // of a normal distribution
constexpr double kMedianEfficiency =
    1.2533;                                 // sqrt(pi/2): error of the median over that of the mean
constexpr std::size_t kFewestForRanks = 6;  // below, the ranks' interval is the whole sample

double median_of_sorted(std::span<const double> sorted) {
  const std::size_t n = sorted.size();
  if (n == 0) return 0;
  if (n % 2 == 1) return sorted[n / 2];
  return sorted[n / 2 - 1] + (sorted[n / 2] - sorted[n / 2 - 1]) / 2;
}

// Price and Bonett, "Estimating the variance of the sample median" (2001): the distance of two
// order statistics around the median over the width that their exact binomial coverage stands for
// under normality.
double error_from_ranks(std::span<const double> sorted) {
  const auto n = static_cast<double>(sorted.size());
  const double rank = std::max(1.0, std::round((n + 1) / 2 - std::sqrt(n)));
  const double tail = boost::math::cdf(boost::math::binomial(n, 0.5), rank - 1);
  const double width = boost::math::quantile(boost::math::complement(boost::math::normal(), tail));
  const auto low = static_cast<std::size_t>(rank) - 1;
  return (sorted[sorted.size() - 1 - low] - sorted[low]) / (2 * width);
}

struct Moments {
  double n, mean, variance;                              // of the samples
  double squared_error() const { return variance / n; }  // of the mean
};

Moments moments_of(std::span<const double> values) {
  const double sd = sd_of(values);
  return {static_cast<double>(values.size()), mean_of(values), sd * sd};
}

// Welch and Satterthwaite: what the sum of two variance estimates is worth.
double satterthwaite(double variance_a, double n_a, double variance_b, double n_b) {
  // Relative to the larger, so that squares of tiny variances do not vanish.
  const double scale = std::max(variance_a, variance_b);
  if (scale == 0) return n_a + n_b - 2;
  const double a = variance_a / scale;
  const double b = variance_b / scale;
  return (a + b) * (a + b) / (a * a / (n_a - 1) + b * b / (n_b - 1));
}

}  // namespace

double mean_of(std::span<const double> values) {
  if (values.empty()) return 0;
  // Relative to one of them: exact for equal values, and no loss at large offsets.
  double sum = 0;
  for (const double x : values) sum += x - values.front();
  return values.front() + sum / static_cast<double>(values.size());
}

double sd_of(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double x : values) squares += (x - mean) * (x - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double median_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return median_of_sorted(sorted);
}

Summary summarise(std::span<const double> values) {
  assert(std::ranges::none_of(values, [](double x) { return std::isnan(x); }));
  Summary summary;
  summary.count = values.size();
  if (values.empty()) return summary;
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  summary.mean = mean_of(sorted);
  summary.sd = sd_of(sorted);
  summary.median = median_of_sorted(sorted);
  summary.min = sorted.front();
  summary.max = sorted.back();
  summary.median_error =
      sorted.size() < kFewestForRanks
          ? kMedianEfficiency * summary.sd / std::sqrt(static_cast<double>(sorted.size()))
          : error_from_ranks(sorted);
  for (double& x : sorted) x = std::abs(x - summary.median);
  summary.mad = kMadToSd * median_of(sorted);
  return summary;
}

WelchResult welch_less(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2 || b.size() < 2) return {};
  const Moments x = moments_of(a);
  const Moments y = moments_of(b);
  WelchResult result;
  result.df = satterthwaite(x.squared_error(), x.n, y.squared_error(), y.n);
  const double difference = x.mean - y.mean;
  const double error = std::sqrt(x.squared_error() + y.squared_error());
  if (error == 0) {
    if (difference == 0) return result;
    result.t = std::copysign(std::numeric_limits<double>::infinity(), difference);
    result.p = difference < 0 ? 0 : 1;
    return result;
  }
  result.t = difference / error;
  result.p = student_cdf(result.t, result.df);
  return result;
}

Interval ratio_interval(std::span<const double> a, std::span<const double> b, double confidence) {
  const Interval unknown{0, std::numeric_limits<double>::infinity()};
  if (a.size() < 2 || b.size() < 2) return unknown;
  const Moments x = moments_of(a);
  const Moments y = moments_of(b);
  if (!(x.mean > 0 && y.mean > 0)) return unknown;
  const double variance_a = x.squared_error() / (x.mean * x.mean);
  const double variance_b = y.squared_error() / (y.mean * y.mean);
  const double df = satterthwaite(variance_a, x.n, variance_b, y.n);
  const double reach =
      student_upper_quantile((1 - confidence) / 2, df) * std::sqrt(variance_a + variance_b);
  const double ratio = x.mean / y.mean;
  return {ratio * std::exp(-reach), ratio * std::exp(reach)};
}

}  // namespace nightshift::search
