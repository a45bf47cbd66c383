#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

namespace nightshift::evaluator {

// `number` as T: integers rounded and held in range, NaN as 0.
template <class T>
T converted(double number) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(number);
  } else {
    if (std::isnan(number)) return 0;
    const double rounded = std::nearbyint(number);
    // The largest 64-bit integers are no doubles: compare with the next power of two.
    if (rounded >= std::ldexp(1.0, std::numeric_limits<T>::digits)) {
      return std::numeric_limits<T>::max();
    }
    if (rounded < static_cast<double>(std::numeric_limits<T>::min())) {
      return std::numeric_limits<T>::min();
    }
    return static_cast<T>(rounded);
  }
}

}  // namespace nightshift::evaluator
