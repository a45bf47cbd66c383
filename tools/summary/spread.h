#pragma once

#include <cmath>

#include "search/statistics/interval.h"

namespace nightshift::tools {

inline bool is_bounded(const search::Interval& interval) {
  return std::isfinite(interval.low) && std::isfinite(interval.high);
}

// Something is known of the spread of a figure: where it was measured once, both ends are the
// figure itself.
inline bool tells_spread(const search::Interval& interval) {
  return is_bounded(interval) && interval.low < interval.high;
}

}  // namespace nightshift::tools
