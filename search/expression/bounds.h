#pragma once

#include <cstdint>
#include <span>

#include "search/expression/scalar.h"

namespace nightshift::search {

// Integers up to it are exact as doubles.
inline constexpr double kExact = 0x1p53;

// What is known of a value before all its parameters are.
struct Bounds {
  bool known = false;     // wherever it can be evaluated, it is a number in [low, high]
  bool integral = false;  // wherever it can be evaluated, it is an integer of up to 53 bits
  bool may_divide_by_zero = true;
  bool may_fail = true;
  double low = 0;
  double high = 0;

  bool always_true() const {
    return known && (low > 0 || high < 0) && !may_divide_by_zero && !may_fail;
  }
  // Or a division by zero, which makes a constraint false.
  bool always_false() const { return known && low == 0 && high == 0 && !may_fail; }
};

// Where the numbers stay exact; otherwise nothing is known of the value.
Bounds checked(Bounds b);
// Integers and doubles together have no bounds: products of such integers would be rounded in the
// bounds but not in the values.
Bounds unite(const Bounds& a, const Bounds& b);
Bounds bounds_of(Scalar value);
Bounds bounds_of(std::span<const Scalar> values);  // any of them
}  // namespace nightshift::search
