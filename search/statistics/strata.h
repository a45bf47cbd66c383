#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace nightshift::search {

// Differences by device, d = ln(time of the incumbent) - ln(time of the candidate), one for each
// pair of evaluations: positive where the candidate is faster.
using Strata = std::span<const std::span<const double>>;

// Views of `devices`, which must outlive them.
inline std::vector<std::span<const double>> strata_of(
    std::span<const std::vector<double>> devices) {
  return {devices.begin(), devices.end()};
}

inline std::vector<double> pooled(Strata devices) {
  std::vector<double> all;
  for (const std::span<const double> device : devices) {
    all.insert(all.end(), device.begin(), device.end());
  }
  return all;
}

inline bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

}  // namespace nightshift::search
