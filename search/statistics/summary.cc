#include "search/statistics/summary.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <vector>

#include "search/statistics/distributions.h"

namespace nightshift::search {

namespace {

constexpr double kMedianEfficiency =
    1.2533;                                 // sqrt(pi/2): error of the median over that of the mean
constexpr std::size_t kFewestForRanks = 6;  // below, the ranks' interval is the whole sample
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool has_nan(std::span<const double> values) {
  return std::ranges::any_of(values, [](double x) { return std::isnan(x); });
}

std::vector<double> sorted_copy(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return sorted;
}

double median_of_sorted(std::span<const double> sorted) {
  const std::size_t n = sorted.size();
  if (n == 0) return 0;
  const double high = sorted[n / 2];
  if (n % 2 == 1) return high;
  const double low = sorted[n / 2 - 1];
  return low == high ? low : low + (high - low) / 2;
}

double mad_of_sorted(std::span<const double> sorted, double median) {
  std::vector<double> distances;
  for (const double x : sorted) distances.push_back(x == median ? 0 : std::abs(x - median));
  std::ranges::sort(distances);
  return kMadToSd * median_of_sorted(distances);
}

// Price and Bonett, "Estimating the variance of the sample median" (2001): the distance of two
// order statistics around the median over the width that their exact binomial coverage stands for
// under normality.
double error_from_ranks(std::span<const double> sorted) {
  const auto n = static_cast<double>(sorted.size());
  const double rank = std::max(1.0, std::round((n + 1) / 2 - std::sqrt(n)));
  const double tail = binomial_cdf(rank - 1, n, 0.5);
  const double width = normal_upper_quantile(tail);
  const auto low = static_cast<std::size_t>(rank) - 1;
  return (sorted[sorted.size() - 1 - low] - sorted[low]) / (2 * width);
}

}  // namespace

double mean_of(std::span<const double> values) {
  if (values.empty()) return 0;
  // Relative to one of them: exact for equal values, and no loss at large offsets.
  double sum = 0;
  for (const double x : values) sum += x - values.front();
  return values.front() + sum / static_cast<double>(values.size());
}

double variance_of(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double x : values) squares += (x - mean) * (x - mean);
  return squares / static_cast<double>(values.size() - 1);
}

double sd_of(std::span<const double> values) { return std::sqrt(variance_of(values)); }

double median_of(std::span<const double> values) {
  return has_nan(values) ? kNaN : median_of_sorted(sorted_copy(values));
}

double mad_of(std::span<const double> values) {
  if (has_nan(values)) return kNaN;
  const std::vector<double> sorted = sorted_copy(values);
  return mad_of_sorted(sorted, median_of_sorted(sorted));
}

double trimmed_mean(std::span<const double> values, double share) {
  if (has_nan(values)) return kNaN;
  const std::vector<double> sorted = sorted_copy(values);
  const auto each = static_cast<std::size_t>(static_cast<double>(sorted.size()) * share);
  return mean_of(std::span(sorted).subspan(each, sorted.size() - 2 * each));
}

double quantile_of(std::span<const double> values, double q) {
  if (values.empty()) return 0;
  if (has_nan(values)) return kNaN;
  const std::vector<double> sorted = sorted_copy(values);
  const double place = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double rest = place - std::floor(place);
  if (rest == 0 || sorted[below] == sorted[below + 1]) return sorted[below];
  if (std::isinf(sorted[below])) return sorted[below];
  return sorted[below] + rest * (sorted[below + 1] - sorted[below]);
}

MedianRanks median_ranks(std::size_t n, double confidence) {
  const auto count = static_cast<double>(n);
  const auto coverage = [&](std::size_t rank) {
    return 1 - 2 * binomial_cdf(static_cast<double>(rank) - 1, count, 0.5);
  };
  if (n == 0 || !(coverage(1) >= confidence)) return {};
  std::size_t good = 1, bad = n / 2 + 1;
  while (bad - good > 1) {
    const std::size_t middle = good + (bad - good) / 2;
    (coverage(middle) >= confidence ? good : bad) = middle;
  }
  return {good, n + 1 - good, coverage(good)};
}

Interval median_interval(std::span<const double> values, double confidence) {
  const MedianRanks ranks = median_ranks(values.size(), confidence);
  if (ranks.low == 0) return kUnbounded;
  if (has_nan(values)) return {kNaN, kNaN};
  const std::vector<double> sorted = sorted_copy(values);
  return {sorted[ranks.low - 1], sorted[ranks.high - 1], confidence};
}

double rounding_variance(double tick) { return tick * tick / 12; }

Summary summarise(std::span<const double> values) {
  assert(!has_nan(values));
  Summary summary;
  summary.count = values.size();
  if (values.empty()) return summary;
  const std::vector<double> sorted = sorted_copy(values);
  summary.mean = mean_of(sorted);
  summary.sd = sd_of(sorted);
  summary.median = median_of_sorted(sorted);
  summary.min = sorted.front();
  summary.max = sorted.back();
  summary.median_error =
      sorted.size() < kFewestForRanks
          ? kMedianEfficiency * summary.sd / std::sqrt(static_cast<double>(sorted.size()))
          : error_from_ranks(sorted);
  summary.mad = mad_of_sorted(sorted, summary.median);
  return summary;
}

}  // namespace nightshift::search
