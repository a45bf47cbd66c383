#include "search/expression/bounds.h"

#include <algorithm>

namespace nightshift::search {

Bounds checked(Bounds b) {
  const bool exact = b.low >= -kExact && b.high <= kExact;
  const bool ordered = b.low <= b.high;  // no NaN
  if (!ordered || (b.integral && !exact)) b.known = b.integral = false;
  return b;
}

Bounds unite(const Bounds& a, const Bounds& b) {
  Bounds both;
  both.known = a.known && b.known && a.integral == b.integral;
  both.integral = a.integral && b.integral;
  both.may_divide_by_zero = a.may_divide_by_zero || b.may_divide_by_zero;
  both.may_fail = a.may_fail || b.may_fail;
  both.low = std::min(a.low, b.low);
  both.high = std::max(a.high, b.high);
  return both;
}

Bounds bounds_of(Scalar value) {
  Bounds b;
  b.may_divide_by_zero = value.kind == Scalar::Kind::kDivisionByZero;
  b.may_fail = value.kind == Scalar::Kind::kFailure;
  if (value.is_number()) {
    b.known = true;
    b.integral = value.is_integer();
    b.low = b.high = value.as_double();
  } else if (!value.is_value()) {
    b.known = true;  // of nothing
  }
  return checked(b);
}

Bounds bounds_of(std::span<const Scalar> values) {
  Bounds all = bounds_of(values.front());
  for (const Scalar value : values.subspan(1)) all = unite(all, bounds_of(value));
  return all;
}

}  // namespace nightshift::search
