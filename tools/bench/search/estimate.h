#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "search/statistics/interval.h"

namespace nightshift::bench {

// A figure with what it becomes in each bootstrap sample. Figures of one set of samples can be
// averaged and subtracted: the intervals of the results then know what goes together.
struct Estimate {
  double value = 0;
  std::vector<double> replicates;

  search::Interval interval() const;  // 95 %, percentile bootstrap; value where no replicates
  double standard_error() const;      // standard deviation of the replicates
};

Estimate mean_of(std::span<const Estimate* const> estimates);    // at least one
Estimate median_of(std::span<const Estimate* const> estimates);  // infinities come last
Estimate difference(const Estimate& a, const Estimate& b);

// Bootstrap samples of the seeds 0..seeds-1, the same for all who ask with the same numbers:
// figures of two searchers are drawn in pairs.
class Resamples {
 public:
  // Samples for different parts (spaces) are independent of each other.
  Resamples(std::size_t seeds, std::size_t samples, std::uint64_t part);
  std::size_t samples() const { return samples_; }
  std::span<const std::uint32_t> draw(std::size_t sample) const {
    return std::span(drawn_).subspan(sample * seeds_, seeds_);
  }

  // The figure of the numbers themselves and of each sample of them; one number a seed.
  using Statistic = std::function<double(std::span<const double>)>;
  Estimate of(std::span<const double> numbers, const Statistic& statistic) const;

 private:
  std::size_t seeds_, samples_;
  std::vector<std::uint32_t> drawn_;
};

}  // namespace nightshift::bench
