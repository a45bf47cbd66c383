#pragma once

#include <algorithm>
#include <functional>
#include <limits>

namespace nightshift::search {

// Where a one-sided test is asked what to reject: that the true effect is at most so much.
using Rejects = std::function<bool(double effect)>;

// `rejected` < `inside`; the latter is not, or is all that is left. An error of `near` is left.
inline double crossing(const Rejects& rejects, double rejected, double inside, double near) {
  while (inside - rejected > near) {
    const double middle = rejected + (inside - rejected) / 2;
    if (middle <= rejected || middle >= inside) break;
    (rejects(middle) ? rejected : inside) = middle;
  }
  return inside;
}

// The least effect that the test does not reject: the lower end of the interval that inverts it (Lehmann
// and Romano 2005, section 3.5). It is above 0 exactly where the test rejects 0. Minus infinity where it
// rejects nothing, however low. `guess`: where it is likely to be, such as that of the test's usual part;
// `error`: the standard error of `estimate`, above 0.
//
// Of a test that rejects, does not reject and rejects again as effects rise, it is one of the values at
// which that changes.
inline double least_not_rejected(const Rejects& rejects, double guess, double estimate,
                                 double error) {
  constexpr double kNear = 1e-7;  // of the standard error
  constexpr int kMostDoublings = 64;
  const double near = kNear * error;
  const bool is_above_zero = rejects(0);
  const bool is_on_side = is_above_zero ? guess - near > 0 : guess + near <= 0;
  if (is_on_side && rejects(guess - near) && !rejects(guess + near)) return guess + near;
  if (is_above_zero) return crossing(rejects, 0, std::max(estimate, near), near);
  double inside = std::min(0.0, estimate), step = error;
  for (int i = 0; i < kMostDoublings; ++i, step *= 2) {
    if (rejects(inside - step)) return crossing(rejects, inside - step, inside, near);
    inside -= step;
  }
  return -std::numeric_limits<double>::infinity();
}

}  // namespace nightshift::search
