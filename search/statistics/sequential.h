#pragma once

#include <limits>
#include <span>
#include <vector>

#include "search/statistics/interval.h"
#include "search/statistics/strata.h"

namespace nightshift::search {

// The group-sequential test of a duel: the same data are looked at several times, and the error
// of the whole is alpha. At look i the candidate is accepted if the p-value of all pairs so far is
// at most level i, and not otherwise; stopping early without accepting can only lower the error.

// One-sided nominal levels of the looks at the information fractions (pairs so far over pairs of
// the last look; ascending in (0, 1], at least 1e-6 apart) that spend the error as Lan and DeMets
// (1983): the chance to accept at look i or before is spent[i], ascending in (0, 1). The chances
// come from recursive integration over the paths that have not crossed (Armitage, McPherson and
// Rowe 1969); the relative error of a level is below 1e-9. A millisecond for five looks. What is
// spent equally at two looks gives the second level 0: no accepting there.
// std::invalid_argument where the arguments are not as above.
std::vector<double> sequential_levels(std::span<const double> fractions,
                                      std::span<const double> spent);
// Linear spending: alpha times the fraction.
std::vector<double> sequential_levels(double alpha, std::span<const double> fractions);

// The t test of a mean effect over these devices, each a stratum with a mean and variance of its
// own: differences between devices are no noise here, and large devices do not outvote small ones.
//   estimate = mean of the device means m_g        error^2 = sum(v_g) / G^2, v_g = s_g^2 / k_g
//   t = (estimate - margin) / error                df = sum(v)^2 / sum(v_g^2 / (k_g - 1))
// (Satterthwaite 1946). `margin` is the effect that does not count (a floor from comparing a
// program with itself); s_g^2 is at least `variance_floor`, the variance that the timer's ticks
// give to a difference.
//
// No evidence (p = 1, t = 0) where there is no device, a device has fewer than two differences, a
// value is not finite, or all variances and the floor are zero. Then the error is infinite, except
// in the last case.
struct StratifiedT {
  double estimate = 0;
  double error = std::numeric_limits<double>::infinity();
  double df = 0;
  double t = 0;
  double p = 1;                      // one-sided: of an effect no larger than the margin
  std::vector<double> device_means;  // one a device; empty where a value is missing or not finite

  bool all_positive() const;  // the effect of every device; false where there is none
};
StratifiedT stratified_t(Strata devices, double margin = 0, double variance_floor = 0);

// Two-sided interval for the mean effect; kUnbounded where there is no evidence.
Interval interval_of(const StratifiedT& result, double confidence);

}  // namespace nightshift::search
