#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "search/statistics/distributions.h"
#include "search/statistics/series.h"
#include "search/statistics/strata.h"
#include "search/statistics/summary.h"

namespace nightshift::search {

// What MeanPrecision says of a whole series, by its formulas as they stand there: the reference for
// the stopping rule, which keeps sums instead.
inline MeanPrecision precision_of_mean(std::span<const double> series, double tick,
                                       double confidence = 0.95) {
  MeanPrecision result;
  if (series.size() < 2 || !all_finite(series)) return result;
  const auto n = static_cast<double>(series.size());
  const double r1 = std::max(0.0, autocorrelation(series, 1).front());
  result.mean = mean_of(series);
  result.effective_n = n * (1 - r1) / (1 + r1);
  result.error =
      std::sqrt(variance_of(series) / n * (1 + r1) / (1 - r1) + rounding_variance(tick) / n);
  if (result.effective_n > 1) {
    result.half_width =
        student_upper_quantile((1 - confidence) / 2, result.effective_n - 1) * result.error;
  }
  return result;
}

}  // namespace nightshift::search
