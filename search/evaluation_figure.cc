#include "search/evaluation_figure.h"

#include <cmath>

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

}  // namespace

Figure evaluation_figure(std::span<const double> samples, const Objective& objective) {
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
