#pragma once

#include <cstdint>
#include <span>

#include "search/scalar.h"

namespace nightshift::search {

struct Term;

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

Bounds bounds_of(Scalar value);
Bounds bounds_of(std::span<const Scalar> values);  // any of them
// Of a term from those of its operands. Rounding is monotone, so the bounds are exact ones: they
// are calculated by the operations that the values are.
Bounds bounds_of(const Term& term, std::span<const Bounds> operands);

}  // namespace nightshift::search
