#include "search/statistics/meta_analysis.h"

#include <algorithm>
#include <cmath>

#include "search/statistics/distributions.h"
#include "search/statistics/strata.h"

namespace nightshift::search {

namespace {

struct Weighted {
  double mean = 0, error = 0;          // by inverse variance
  double squares = 0;                  // of the distances to the mean in their own errors
  double sum = 0, sum_of_squares = 0;  // of the weights, each relative to the largest
  double unit = 0;                     // the smallest error, whose weight is 1
};

// `extra` is added to every variance.
Weighted weighted(std::span<const double> effects, std::span<const double> errors, double extra) {
  Weighted w;
  const auto error = [&](std::size_t i) { return std::hypot(errors[i], std::sqrt(extra)); };
  w.unit = error(0);
  for (std::size_t i = 1; i < errors.size(); ++i) w.unit = std::min(w.unit, error(i));
  double shift = 0;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    const double relative = w.unit / error(i);
    const double weight = relative * relative;
    w.sum += weight;
    w.sum_of_squares += weight * weight;
    shift += weight * (effects[i] - effects[0]);
  }
  w.mean = effects[0] + shift / w.sum;
  w.error = w.unit / std::sqrt(w.sum);
  for (std::size_t i = 0; i < effects.size(); ++i) {
    const double z = (effects[i] - w.mean) / error(i);
    w.squares += z * z;
  }
  return w;
}

Interval around(double centre, double reach) { return {centre - reach, centre + reach}; }

}  // namespace

MetaAnalysis meta_analysis(std::span<const double> effects, std::span<const double> errors,
                           double confidence) {
  MetaAnalysis result;
  const bool usable =
      !effects.empty() && effects.size() == errors.size() && all_finite(effects) &&
      std::ranges::all_of(errors, [](double se) { return se > 0 && std::isfinite(se); });
  if (!usable) return result;
  const auto k = static_cast<double>(effects.size());
  const Weighted fixed = weighted(effects, errors, 0);
  const double free = fixed.sum - fixed.sum_of_squares / fixed.sum;
  const double excess = std::max(0.0, fixed.squares - (k - 1));
  const double tau_squared = excess > 0 && free > 0 ? excess / free * fixed.unit * fixed.unit : 0;
  const Weighted random = weighted(effects, errors, tau_squared);
  if (!std::isfinite(fixed.squares) || !std::isfinite(random.mean)) return result;

  result.fixed = fixed.mean;
  result.fixed_error = fixed.error;
  result.q = fixed.squares;
  result.tau_squared = tau_squared;
  result.random = random.mean;
  result.random_error = random.error;
  if (k < 2) return result;
  const double tail = (1 - confidence) / 2;
  result.q_p = chi_squared_upper_tail(fixed.squares, k - 1);
  result.i_squared = fixed.squares > 0 ? excess / fixed.squares : 0;
  result.hartung_knapp_error = random.error * std::sqrt(random.squares / (k - 1));
  result.hartung_knapp =
      around(random.mean, student_upper_quantile(tail, k - 1) * result.hartung_knapp_error);
  if (k < 3) return result;
  result.prediction = around(random.mean, student_upper_quantile(tail, k - 2) *
                                              std::hypot(std::sqrt(tau_squared), random.error));
  return result;
}

}  // namespace nightshift::search
