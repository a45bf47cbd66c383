#include "search/expression/scalar.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>
#include <utility>

#include "search/value.h"

namespace nightshift::search {

namespace {

// What an operation gives that has no number to work on: what became of the first operand that has
// no value, as in Python, which evaluates them in order.
Scalar spoilt(Scalar a, Scalar b) {
  if (!a.is_value()) return a;
  return b.is_value() ? Scalar::failure() : b;
}

// --- Integers; what does not fit 64 bits goes on as a double ---

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {  // b is neither 0 nor -1
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::int64_t floor_remainder(std::int64_t a, std::int64_t b) {  // b is neither 0 nor -1
  const std::int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

Scalar integer_power(std::int64_t base, std::int64_t exponent) {
  const auto as_doubles = [&] {
    return Scalar::real(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  };
  if (exponent < 0) return base == 0 ? Scalar::division_by_zero() : as_doubles();
  std::int64_t result = 1;
  std::int64_t factor = base;
  bool factor_fits = true;
  for (std::int64_t left = exponent; left > 0; left >>= 1) {
    const bool fits =
        (left & 1) == 0 || (factor_fits && !__builtin_mul_overflow(result, factor, &result));
    if (!fits) return as_doubles();
    factor_fits = factor_fits && !__builtin_mul_overflow(factor, factor, &factor);
  }
  return Scalar::integer(result);
}

bool is_bitwise(ArithmeticOperator op) { return op >= ArithmeticOperator::kShiftLeft; }

Scalar shifted_left(std::int64_t a, std::int64_t count) {
  constexpr std::int64_t kBeyondDoubles = 4096;
  constexpr std::int64_t kSignBit = 63;
  if (a == 0) return Scalar::integer(0);
  std::int64_t result = 0;
  if (count < kSignBit && !__builtin_mul_overflow(a, std::int64_t{1} << count, &result)) {
    return Scalar::integer(result);
  }
  if (count == kSignBit && a == -1)
    return Scalar::integer(std::numeric_limits<std::int64_t>::min());
  const auto exponent = static_cast<int>(std::min(count, kBeyondDoubles));
  return Scalar::real(std::ldexp(static_cast<double>(a), exponent));
}

Scalar bitwise(ArithmeticOperator op, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a);
  const auto y = static_cast<std::uint64_t>(b);
  const auto integer = [](std::uint64_t bits) {
    return Scalar::integer(static_cast<std::int64_t>(bits));
  };
  switch (op) {
    case ArithmeticOperator::kBitAnd:
      return integer(x & y);
    case ArithmeticOperator::kBitXor:
      return integer(x ^ y);
    case ArithmeticOperator::kBitOr:
      return integer(x | y);
    default:
      break;
  }
  if (b < 0) return Scalar::failure();
  if (op == ArithmeticOperator::kShiftLeft) return shifted_left(a, b);
  return Scalar::integer(a >> std::min<std::int64_t>(b, 63));
}

Scalar integer_arithmetic(ArithmeticOperator op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const auto x = static_cast<double>(a);
  const auto y = static_cast<double>(b);
  switch (op) {
    case ArithmeticOperator::kAdd:
      return __builtin_add_overflow(a, b, &result) ? Scalar::real(x + y) : Scalar::integer(result);
    case ArithmeticOperator::kSubtract:
      return __builtin_sub_overflow(a, b, &result) ? Scalar::real(x - y) : Scalar::integer(result);
    case ArithmeticOperator::kMultiply:
      return __builtin_mul_overflow(a, b, &result) ? Scalar::real(x * y) : Scalar::integer(result);
    case ArithmeticOperator::kPower:
      return integer_power(a, b);
    default:
      break;
  }
  if (is_bitwise(op)) return bitwise(op, a, b);
  if (b == 0) return Scalar::division_by_zero();
  if (op == ArithmeticOperator::kDivide) return Scalar::real(x / y);
  if (op == ArithmeticOperator::kModulo) {
    return Scalar::integer(b == -1 ? 0 : floor_remainder(a, b));
  }
  if (b == -1) return integer_arithmetic(ArithmeticOperator::kSubtract, 0, a);
  return Scalar::integer(floor_quotient(a, b));
}

// --- Doubles ---

// Quotient and remainder as Python's float divmod has them: a == quotient * b + remainder, the
// remainder has the sign of b, and the quotient is whole.
std::pair<double, double> floor_division(double a, double b) {
  double remainder = std::fmod(a, b);
  double quotient = (a - remainder) / b;
  if (remainder == 0) {
    remainder = std::copysign(0.0, b);
  } else if ((b < 0) != (remainder < 0)) {
    remainder += b;
    quotient -= 1;
  }
  if (quotient == 0) return {std::copysign(0.0, a / b), remainder};
  const double below = std::floor(quotient);
  return {quotient - below > 0.5 ? below + 1 : below, remainder};
}

Scalar double_arithmetic(ArithmeticOperator op, double a, double b) {
  switch (op) {
    case ArithmeticOperator::kAdd:
      return Scalar::real(a + b);
    case ArithmeticOperator::kSubtract:
      return Scalar::real(a - b);
    case ArithmeticOperator::kMultiply:
      return Scalar::real(a * b);
    case ArithmeticOperator::kPower:
      if (a == 0 && b < 0) return Scalar::division_by_zero();
      if (a < 0 && std::isfinite(b) && b != std::floor(b)) return Scalar::failure();
      return Scalar::real(std::pow(a, b));
    default:
      break;
  }
  if (is_bitwise(op)) return Scalar::failure();
  if (b == 0) return Scalar::division_by_zero();
  if (op == ArithmeticOperator::kDivide) return Scalar::real(a / b);
  const auto [quotient, remainder] = floor_division(a, b);
  return Scalar::real(op == ArithmeticOperator::kModulo ? remainder : quotient);
}

// --- Comparison ---

std::partial_ordering reversed(std::partial_ordering order) {
  if (std::is_lt(order)) return std::partial_ordering::greater;
  if (std::is_gt(order)) return std::partial_ordering::less;
  return order;
}

std::partial_ordering order_of(Scalar a, Scalar b) {  // two numbers, or two texts
  if (a.is_real() && b.is_real()) return a.payload.number <=> b.payload.number;
  if (a.is_real()) return reversed(compare_exactly(b.payload.whole, a.payload.number));
  if (b.is_real()) return compare_exactly(a.payload.whole, b.payload.number);
  return a.payload.whole <=> b.payload.whole;
}

// To the nearest integer, halves to the even one.
double nearest(double x) {
  const double below = std::floor(x);
  const double part = x - below;
  if (part != 0.5) return part < 0.5 ? below : below + 1;
  return std::fmod(below, 2) == 0 ? below : below + 1;
}

Scalar rounded(double x) {
  if (!(x >= -0x1p63 && x < 0x1p63)) return Scalar::failure();
  return Scalar::integer(static_cast<std::int64_t>(x));
}

}  // namespace

Scalar detail::any_arithmetic(ArithmeticOperator op, Scalar a, Scalar b) {
  if (a.is_integer() && b.is_integer()) {
    return integer_arithmetic(op, a.payload.whole, b.payload.whole);
  }
  if (!a.is_number() || !b.is_number()) return spoilt(a, b);
  return double_arithmetic(op, a.as_double(), b.as_double());
}

Scalar negated(Scalar a) {
  if (a.is_integer()) {
    return integer_arithmetic(ArithmeticOperator::kSubtract, 0, a.payload.whole);
  }
  return a.is_real() ? Scalar::real(-a.payload.number) : spoilt(a, a);
}

Scalar detail::any_compared(Comparator comparator, Scalar a, Scalar b) {
  if (!a.is_value() || !b.is_value()) return spoilt(a, b);
  const bool comparable = a.is_text() == b.is_text();
  if (comparator == Comparator::kEqual || comparator == Comparator::kNotEqual) {
    const bool equal = comparable && std::is_eq(order_of(a, b));
    return Scalar::boolean(equal == (comparator == Comparator::kEqual));
  }
  if (!comparable) return Scalar::failure();
  const std::partial_ordering order = order_of(a, b);
  switch (comparator) {
    case Comparator::kLess:
      return Scalar::boolean(std::is_lt(order));
    case Comparator::kLessEqual:
      return Scalar::boolean(std::is_lteq(order));
    case Comparator::kGreater:
      return Scalar::boolean(std::is_gt(order));
    default:
      return Scalar::boolean(std::is_gteq(order));
  }
}

Scalar applied(Function function, Scalar a) {
  if (!a.is_number()) return spoilt(a, a);
  const double number = a.as_double();
  switch (function) {
    case Function::kAbs:
      return number < 0 ? negated(a) : a;
    case Function::kFloat:
      return Scalar::real(number);
    case Function::kLog2:
      return number > 0 ? Scalar::real(std::log2(number)) : Scalar::failure();
    case Function::kLog:
      return number > 0 ? Scalar::real(std::log(number)) : Scalar::failure();
    case Function::kLog10:
      return number > 0 ? Scalar::real(std::log10(number)) : Scalar::failure();
    case Function::kSqrt:
      return number >= 0 ? Scalar::real(std::sqrt(number)) : Scalar::failure();
    case Function::kRound:
      return a.is_integer() ? a : rounded(nearest(number));
    case Function::kInt:
      return a.is_integer() ? a : rounded(std::trunc(number));
    case Function::kCeil:
      return a.is_integer() ? a : rounded(std::ceil(number));
    default:
      return a.is_integer() ? a : rounded(std::floor(number));
  }
}

}  // namespace nightshift::search
