#include "search/evaluation_figure.h"

#include <algorithm>
#include <cmath>
#include <numbers>
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

// The error comes from the distance d between the end and the k-th sample from it, k = sqrt(n), by the
// spacings of an exponential distribution (A. Rényi, 1953). On the good side figures end, as times
// do at what the work takes: d is k errors there. On the bad side they have a tail: its end
// scatters by pi / sqrt(6) of the tail's scale, and d is the k-th harmonic number of these.
Figure extreme(std::span<const double> samples, bool is_least, bool is_good) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  if (!is_least) std::ranges::reverse(sorted);
  if (sorted.size() < 2) return {sorted.front(), 0};
  const auto k = static_cast<std::size_t>(std::sqrt(static_cast<double>(sorted.size())));
  const double distance = std::abs(sorted[k] - sorted.front());
  if (is_good) return {sorted.front(), distance / static_cast<double>(k)};
  double harmonic = 0;
  for (std::size_t j = 1; j <= k; ++j) harmonic += 1 / static_cast<double>(j);
  return {sorted.front(), std::numbers::pi / std::sqrt(6.0) * distance / harmonic};
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
    case Statistic::kMin:
    case Statistic::kMax:
      return extreme(samples, objective.statistic == Statistic::kMin,
                     (objective.statistic == Statistic::kMin) == minimised);
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
