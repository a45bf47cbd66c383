#include "search/statistics/confidence_sequence.h"

#include <cmath>
#include <limits>

#include "search/statistics/strata.h"
#include "search/statistics/summary.h"

namespace nightshift::search {

double t_mixture_factor(std::size_t n, double alpha, double c2) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (n < 2 || !(alpha > 0 && alpha < 1) || !(c2 > 0) || !std::isfinite(c2)) return kInfinity;
  const auto count = static_cast<double>(n);
  const double k = c2 / (count + c2);
  const double log_r = -(std::log(k) + 2 * std::log(alpha)) / count;
  const double room = 1 - std::exp(log_r) * k;
  if (!(room > 0)) return kInfinity;
  return std::sqrt((count - 1) / count * std::expm1(log_r) / room);
}

Interval t_mixture_interval(std::span<const double> values, double alpha, double c2) {
  const double factor = t_mixture_factor(values.size(), alpha, c2);
  if (std::isinf(factor) || !all_finite(values)) return kUnbounded;
  const double reach = factor * sd_of(values);
  if (!(reach > 0)) return kUnbounded;
  return {mean_of(values) - reach, mean_of(values) + reach};
}

}  // namespace nightshift::search
