#include "tools/bench/search/estimate.h"

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "search/statistics/summary.h"

namespace nightshift::bench {
namespace {

constexpr std::uint64_t kBootstrapSeed = 20240607;

Estimate combined(std::span<const Estimate* const> estimates,
                  double (*combine)(std::span<const double>)) {
  Estimate result;
  std::vector<double> numbers;
  for (const Estimate* e : estimates) numbers.push_back(e->value);
  result.value = combine(numbers);
  const std::size_t samples = estimates.front()->replicates.size();
  for (std::size_t b = 0; b < samples; ++b) {
    numbers.clear();
    for (const Estimate* e : estimates) numbers.push_back(e->replicates[b]);
    result.replicates.push_back(combine(numbers));
  }
  return result;
}

}  // namespace

search::Interval Estimate::interval() const {
  if (replicates.empty()) return {value, value};
  return {search::quantile_of(replicates, 0.025), search::quantile_of(replicates, 0.975)};
}

double Estimate::standard_error() const { return search::sd_of(replicates); }

Estimate mean_of(std::span<const Estimate* const> estimates) {
  return combined(estimates, search::mean_of);
}

Estimate median_of(std::span<const Estimate* const> estimates) {
  return combined(estimates, [](std::span<const double> n) { return search::quantile_of(n, 0.5); });
}

Estimate difference(const Estimate& a, const Estimate& b) {
  Estimate result;
  result.value = a.value - b.value;
  const std::size_t samples = std::min(a.replicates.size(), b.replicates.size());
  for (std::size_t i = 0; i < samples; ++i) {
    result.replicates.push_back(a.replicates[i] - b.replicates[i]);
  }
  return result;
}

Resamples::Resamples(std::size_t seeds, std::size_t samples, std::uint64_t part)
    : seeds_(seeds), samples_(samples) {
  base::Rng rng(base::mix_seed(base::mix_seed(kBootstrapSeed, part), seeds));
  drawn_.reserve(seeds * samples);
  for (std::size_t i = 0; i < seeds * samples; ++i) {
    drawn_.push_back(static_cast<std::uint32_t>(rng.below(seeds)));
  }
}

Estimate Resamples::of(std::span<const double> numbers, const Statistic& statistic) const {
  Estimate result;
  std::vector<double> drawn(numbers.begin(), numbers.end());
  result.value = statistic(drawn);
  result.replicates.reserve(samples_);
  for (std::size_t b = 0; b < samples_; ++b) {
    drawn.clear();
    for (const std::uint32_t i : draw(b)) drawn.push_back(numbers[i]);
    result.replicates.push_back(statistic(drawn));
  }
  return result;
}

}  // namespace nightshift::bench
