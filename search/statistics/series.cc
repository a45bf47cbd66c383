#include "search/statistics/series.h"

#include <algorithm>
#include <cmath>

#include "search/statistics/distributions.h"
#include "search/statistics/strata.h"
#include "search/statistics/summary.h"

namespace nightshift::search {

namespace {

constexpr std::size_t kFewestPerSide = 3;

struct Centred {
  std::vector<double> values;  // less their mean
  double squares = 0;          // their sum
};

// Empty where nothing is known: fewer than two values, all equal, or not all finite.
Centred centred(std::span<const double> series) {
  Centred result;
  if (series.size() < 2 || !all_finite(series)) return result;
  const double mean = mean_of(series);
  for (const double x : series) {
    result.values.push_back(x - mean);
    result.squares += (x - mean) * (x - mean);
  }
  if (!(result.squares > 0) || !std::isfinite(result.squares)) return {};
  return result;
}

// Mean and squared distances to it of the first k values, for every k, by Welford's updates (1962),
// which do not cancel.
struct Running {
  std::vector<double> means{0}, squares{0};

  void add(double x) {
    const auto n = static_cast<double>(means.size());
    const double before = means.back();
    means.push_back(before + (x - before) / n);
    squares.push_back(squares.back() + (x - before) * (x - means.back()));
  }
};

double welch_abs_t(const Running& left, const Running& right, std::size_t k, std::size_t n) {
  const auto variance = [](const Running& side, std::size_t count) {
    const auto c = static_cast<double>(count);
    return side.squares[count] / (c - 1) / c;
  };
  const double difference = std::abs(left.means[k] - right.means[n - k]);
  if (difference == 0) return 0;
  return difference / std::sqrt(variance(left, k) + variance(right, n - k));
}

}  // namespace

std::vector<double> autocorrelation(std::span<const double> series, std::size_t lags) {
  const Centred c = centred(series);
  std::vector<double> result(lags, 0);
  for (std::size_t lag = 1; lag <= lags && lag < c.values.size(); ++lag) {
    double sum = 0;
    for (std::size_t i = lag; i < c.values.size(); ++i) sum += c.values[i] * c.values[i - lag];
    result[lag - 1] = sum / c.squares;
  }
  return result;
}

LjungBox ljung_box(std::span<const double> series, std::size_t lags) {
  if (centred(series).values.empty()) return {};
  const std::size_t last = std::min(lags, series.size() - 1);
  if (last == 0) return {};
  const auto n = static_cast<double>(series.size());
  const std::vector<double> r = autocorrelation(series, last);
  double sum = 0;
  for (std::size_t k = 1; k <= last; ++k) {
    sum += r[k - 1] * r[k - 1] / (n - static_cast<double>(k));
  }
  const double q = n * (n + 2) * sum;
  return {q, chi_squared_upper_tail(q, static_cast<double>(last))};
}

SingleChangePoint single_change_point(std::span<const double> series) {
  const std::size_t n = series.size();
  SingleChangePoint best;
  if (n < 2 * kFewestPerSide || centred(series).values.empty()) return best;
  Running left, right;
  for (std::size_t i = 0; i < n; ++i) {
    left.add(series[i] - series[0]);
    right.add(series[n - 1 - i] - series[0]);
  }
  for (std::size_t k = kFewestPerSide; k + kFewestPerSide <= n; ++k) {
    const double t = welch_abs_t(left, right, k, n);
    if (t > best.abs_t) best = {k, t};
  }
  return best;
}

}  // namespace nightshift::search
