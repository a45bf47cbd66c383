#pragma once

#include <cstddef>
#include <cstdint>

#include "search/problem/sampling_plan.h"
#include "search/statistics/series.h"

namespace nightshift::evaluator {

// Whether one evaluation has enough samples, decided after each of them; has no clock of its own.
//
//   given up   the first three samples are all above `give_up_above`, and more were to come
//   complete   plan.samples are there, and half of the 95 % interval of their mean
//              (search::MeanPrecision) is within plan.precision of it; at precision 0 exactly
//              plan.samples
//   capped     most_samples, or after max_seconds three at least, without that precision
//
// Looking after each sample makes the last half width a little too small; that is for searching. A
// comparison that is to be believed takes the same number of samples of both, at precision 0.
class StoppingRule {
 public:
  enum class Verdict : std::uint8_t { kGoOn, kComplete, kCapped, kGivenUp };

  // `tick` and `give_up_above` are in the unit of the values, lower being better; 0 = never.
  StoppingRule(const search::SamplingPlan& plan, double tick, double give_up_above);

  // O(1). `elapsed` = seconds since sampling began.
  Verdict add(double value, double elapsed);

  // Of the values so far, from sums: equal to the formulas of MeanPrecision but for rounding.
  search::MeanPrecision precision() const;
  double lag1() const;  // autocorrelation; 0 where it is negative, or nothing is known
  // Capped, and half of the interval is above 1 % of the mean although more precision was asked
  // for.
  bool unstable() const;

 private:
  void take(double value);
  search::MeanPrecision without_quantile() const;
  bool precise() const;
  Verdict judged(double elapsed) const;

  std::size_t least_, most_;
  double precision_, max_seconds_, tick_, give_up_above_;
  Verdict verdict_ = Verdict::kGoOn;
  bool all_above_ = true;  // of the samples so far
  // Of the values less their mean: squares, and products of each with the one before it. Moved
  // along with the mean, as in Welford's updates (1962), so that nothing cancels.
  std::size_t count_ = 0;
  double mean_ = 0, squares_ = 0, products_ = 0;
  double first_ = 0, last_ = 0;
};

}  // namespace nightshift::evaluator
