#pragma once

#include <algorithm>
#include <chrono>

namespace nightshift::scheduler {

// Seconds as a problem file has them, in the clock's own unit; bounded to a century, so that adding
// it to now cannot overflow. Not-a-number is 0.
inline std::chrono::steady_clock::duration seconds(double value) {
  const double bounded = value > 0 ? std::min(value, 3e9) : 0;
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(bounded));
}

}  // namespace nightshift::scheduler
