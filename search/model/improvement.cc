#include "search/model/improvement.h"

#include <cmath>

namespace nightshift::search {

double log_improvement(double t) {
  constexpr double kLogRootTwoPi = 0.9189385332046727;
  if (t > -5) {
    const double density = std::exp(-0.5 * t * t - kLogRootTwoPi);
    return std::log(density + t * 0.5 * std::erfc(-t * 0.7071067811865476));
  }
  return -0.5 * t * t - kLogRootTwoPi - 2 * std::log(-t) + std::log1p(-3 / (t * t));
}

}  // namespace nightshift::search
