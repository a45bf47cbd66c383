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

std::vector<double> aggregated(const std::vector<std::vector<double>>& cases,
                               const CaseTerms& terms) {
  if (cases.empty()) return {};
  if (cases.size() == 1) return cases.front();
  const bool alike = terms.weights.size() != cases.size();
  const auto weight = [&](std::size_t i) { return alike ? 1.0 : terms.weights[i]; };
  double all = 0;
  std::size_t samples = cases.front().size();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    all += weight(i);
    samples = std::min(samples, cases[i].size());
  }
  std::vector<double> values(samples, 0.0);
  for (std::size_t s = 0; s < samples; ++s) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const double value = cases[i][s];
      values[s] += weight(i) * (terms.aggregate == Aggregate::kSum ? value : std::log(value));
    }
    if (terms.aggregate != Aggregate::kSum) values[s] = std::exp(values[s] / all);
  }
  return values;
}

}  // namespace nightshift::search
