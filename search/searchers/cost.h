#pragma once

#include <cmath>
#include <limits>

#include "search/searcher.h"

namespace nightshift::search {

// What a model-free searcher keeps of an observation, so that all can be compared: a failure is
// infinitely dear, a censored score stands for itself although the truth may be worse.
struct Cost {
  double value = std::numeric_limits<double>::infinity();
  double error = 0;       // standard error of `value`
  bool censored = false;  // the truth is probably not below `value`

  bool failed() const { return std::isinf(value); }
};

inline Cost cost_of(const Observation& observation) {
  if (!observation.score) return {};
  return {observation.score->value, observation.score->standard_error, observation.censored};
}

// Better by more than the noise: beyond one standard error of the difference. A score that was cut
// short is better than failures only, since nobody knows how bad the trial would have been.
inline bool clearly_better(const Cost& a, const Cost& b) {
  if (a.failed()) return false;
  if (b.failed()) return true;
  if (a.censored) return false;
  return b.value - a.value > std::hypot(a.error, b.error);
}

}  // namespace nightshift::search
