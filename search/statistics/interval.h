#pragma once

#include <limits>

namespace nightshift::search {

// Two-sided: it holds the true number with `confidence`.
struct Interval {
  double low = 0;
  double high = 0;
  double confidence = 0.95;
};

// What is said of a number of which nothing is known.
inline constexpr Interval kUnbounded{-std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::infinity()};

}  // namespace nightshift::search
