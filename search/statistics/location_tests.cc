#include "search/statistics/location_tests.h"

#include <algorithm>
#include <cmath>

#include "search/statistics/distributions.h"
#include "search/statistics/strata.h"
#include "search/statistics/summary.h"

namespace nightshift::search {

namespace {

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

// Fills in what follows from effect, error and degrees of freedom; `sd` is that of a value.
void conclude(TTest& test, double sd) {
  if (!(test.error > 0) || !std::isfinite(test.error)) return;
  test.t = test.effect / test.error;
  test.p_greater = student_upper_tail(test.t, test.df);
  test.p_two_sided = std::min(1.0, 2 * student_upper_tail(std::abs(test.t), test.df));
  test.cohens_d = test.effect / sd;
}

}  // namespace

TTest welch_test(std::span<const double> x, std::span<const double> y, double variance_floor) {
  TTest test;
  if (x.empty() || y.empty() || !all_finite(x) || !all_finite(y)) return test;
  Moments a = moments_of(x);
  Moments b = moments_of(y);
  test.effect = a.mean - b.mean;
  if (x.size() < 2 || y.size() < 2) return test;
  a.variance = std::max(a.variance, variance_floor);
  b.variance = std::max(b.variance, variance_floor);
  test.error = std::sqrt(a.squared_error() + b.squared_error());
  test.df = satterthwaite(a.squared_error(), a.n, b.squared_error(), b.n);
  conclude(test, std::sqrt((a.variance + b.variance) / 2));
  return test;
}

TTest paired_t(std::span<const double> differences, double variance_floor) {
  TTest test;
  if (differences.empty() || !all_finite(differences)) return test;
  Moments d = moments_of(differences);
  test.effect = d.mean;
  if (differences.size() < 2) return test;
  d.variance = std::max(d.variance, variance_floor);
  test.error = std::sqrt(d.squared_error());
  test.df = d.n - 1;
  conclude(test, std::sqrt(d.variance));
  return test;
}

}  // namespace nightshift::search
