#include "search/statistics/shape.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "search/statistics/distributions.h"
#include "search/statistics/strata.h"
#include "search/statistics/summary.h"

namespace nightshift::search {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Sums of powers of the distances to the mean in population standard deviations; 0 where there is
// no scatter or a value is not finite.
struct Moments {
  double skew = 0, kurtosis = 0;  // third and fourth, over n
};

Moments moments_of(std::span<const double> values) {
  if (values.size() < 2 || !all_finite(values)) return {};
  const auto n = static_cast<double>(values.size());
  const double mean = mean_of(values);
  const double sd = sd_of(values) * std::sqrt((n - 1) / n);
  if (!(sd > 0) || !std::isfinite(sd)) return {};
  Moments moments;
  for (const double x : values) {
    const double z = (x - mean) / sd;
    moments.skew += z * z * z / n;
    moments.kurtosis += z * z * z * z / n;
  }
  return moments;
}

std::vector<double> sorted_copy(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return sorted;
}

std::vector<double> distances_to_median(std::span<const double> values) {
  const double median = median_of(values);
  std::vector<double> distances;
  for (const double x : values) distances.push_back(std::abs(x - median));
  return distances;
}

// Squared distances of the first k values to their mean, for every k (Welford's updates).
std::vector<double> running_squares(std::span<const double> values, std::vector<double>& means) {
  std::vector<double> squares{0};
  means.assign(1, 0);
  for (const double x : values) {
    const double before = means.back();
    means.push_back(before + (x - before) / static_cast<double>(means.size()));
    squares.push_back(squares.back() + (x - before) * (x - means.back()));
  }
  return squares;
}

}  // namespace

double skewness(std::span<const double> values) {
  if (values.size() < 3) return 0;
  const auto n = static_cast<double>(values.size());
  return moments_of(values).skew * std::sqrt(n * (n - 1)) / (n - 2);
}

double excess_kurtosis(std::span<const double> values) {
  if (values.size() < 4) return 0;
  const double kurtosis = moments_of(values).kurtosis;
  if (kurtosis == 0) return 0;
  const auto n = static_cast<double>(values.size());
  return (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * (kurtosis - 3) + 6);
}

double bimodality_coefficient(std::span<const double> values) {
  if (values.size() < 4 || moments_of(values).kurtosis == 0) return 0;
  const auto n = static_cast<double>(values.size());
  const double skew = skewness(values);
  return (skew * skew + 1) /
         (excess_kurtosis(values) + 3 * (n - 1) * (n - 1) / ((n - 2) * (n - 3)));
}

TwoMeans two_means(std::span<const double> values, double tick) {
  TwoMeans best;
  const std::size_t n = values.size();
  if (n < 4 || !all_finite(values)) return best;
  const std::vector<double> sorted = sorted_copy(values);
  const double origin = sorted[n / 2];
  std::vector<double> relative;
  for (const double x : sorted) relative.push_back(x - origin);
  if (relative.front() == relative.back()) return best;
  std::vector<double> low_means, high_means;
  const std::vector<double> low = running_squares(relative, low_means);
  const std::vector<double> reversed(relative.rbegin(), relative.rend());
  const std::vector<double> high = running_squares(reversed, high_means);
  double least = kInfinity;
  std::size_t at = 0;
  for (std::size_t k = 1; k < n; ++k) {
    if (relative[k - 1] == relative[k] || !(low[k] + high[n - k] < least)) continue;
    least = low[k] + high[n - k];
    at = k;
  }
  if (at == 0) return best;
  const double distance = high_means[n - at] - low_means[at];
  const double within =
      std::sqrt(std::max(least / static_cast<double>(n - 2), rounding_variance(tick)));
  return {low_means[at] + origin, high_means[n - at] + origin,
          within > 0 ? distance / within : kInfinity,
          static_cast<double>(std::min(at, n - at)) / static_cast<double>(n), sorted[at - 1]};
}

BrownForsythe brown_forsythe(std::span<const double> x, std::span<const double> y) {
  if (x.size() < 2 || y.size() < 2 || !all_finite(x) || !all_finite(y)) return {};
  const std::vector<double> a = distances_to_median(x), b = distances_to_median(y);
  const auto n = static_cast<double>(x.size()), m = static_cast<double>(y.size());
  const double difference = mean_of(a) - mean_of(b);
  const double between = difference * difference * n * m / (n + m);
  const double within = (variance_of(a) * (n - 1) + variance_of(b) * (m - 1)) / (n + m - 2);
  if (between == 0) return {};
  const double f = between / within;
  return {f, f_upper_tail(f, 1, n + m - 2)};
}

}  // namespace nightshift::search
