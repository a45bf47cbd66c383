#include "search/evaluation_figure.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "search/statistics/summary.h"

namespace nightshift::search {
namespace {

Figure quantile(std::span<const double> samples, double p) {
  const auto n = static_cast<double>(samples.size());
  if (n < 2) return {samples.front(), 0};
  const double reach = 2 * std::sqrt(n * p * (1 - p)) / (n - 1);
  return {quantile_of(samples, p),
          (quantile_of(samples, p + reach) - quantile_of(samples, p - reach)) / 4};
}

Figure trimmed(std::span<const double> samples) {
  const auto n = static_cast<double>(samples.size());
  const auto cut = static_cast<std::size_t>(n * kTrimmedShare);
  std::vector<double> winsorised(samples.begin(), samples.end());
  std::ranges::sort(winsorised);
  const double low = winsorised[cut], high = winsorised[winsorised.size() - 1 - cut];
  for (double& sample : winsorised) sample = std::clamp(sample, low, high);
  const double left = 1 - 2 * static_cast<double>(cut) / n;
  return {trimmed_mean(samples, kTrimmedShare), sd_of(winsorised) / (left * std::sqrt(n))};
}

}  // namespace

Figure evaluation_figure(std::span<const double> samples, const Objective& objective) {
  if (samples.empty()) return {};
  const bool minimised = objective.direction == Direction::kMinimise;
  switch (objective.statistic) {
    case Statistic::kMean:
      return {mean_of(samples), sd_of(samples) / std::sqrt(static_cast<double>(samples.size()))};
    case Statistic::kTrimmedMean:
      return trimmed(samples);
    case Statistic::kP95:
      return quantile(samples, minimised ? 0.95 : 0.05);
    case Statistic::kP99:
      return quantile(samples, minimised ? 0.99 : 0.01);
    case Statistic::kMedian:
      break;
  }
  const Summary summary = summarise(samples);
  return {summary.median, summary.median_error};
}

}  // namespace nightshift::search
