#include "search/visit_figure.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "search/statistics/summary.h"

namespace nightshift::search {
namespace {

double at_rank(std::span<const double> sorted, double rank) {
  const double last = static_cast<double>(sorted.size() - 1);
  const double clamped = std::clamp(rank, 0.0, last);
  const auto low = static_cast<std::size_t>(clamped);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  const double share = clamped - static_cast<double>(low);
  return sorted[low] + share * (sorted[high] - sorted[low]);
}

Figure quantile(std::span<const double> samples, double p) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  const auto n = static_cast<double>(sorted.size());
  const double rank = p * (n - 1);
  const double reach = 2 * std::sqrt(n * p * (1 - p));
  const double error = (at_rank(sorted, rank + reach) - at_rank(sorted, rank - reach)) / 4;
  return {at_rank(sorted, rank), error};
}

}  // namespace

Figure visit_figure(std::span<const double> samples, const Objective& objective) {
  if (samples.empty()) return {};
  const bool minimised = objective.direction == Direction::kMinimise;
  switch (objective.statistic) {
    case Statistic::kMean:
      return {mean_of(samples), sd_of(samples) / std::sqrt(static_cast<double>(samples.size()))};
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
