#pragma once

#include <cstdint>

#include "search/expression/expression_tree.h"

namespace nightshift::search {

// A value of an expression in 16 bytes, for evaluating millions of times: operations neither
// allocate nor throw. What Expression throws is a value here, which every operation that uses it
// passes on.
//
// True and False are the integers 1 and 0: no operation tells them apart. A text is its rank among
// all texts at hand and the empty one, so that ranks compare as the texts do and 0 is empty.
struct Scalar {
  enum class Kind : std::uint8_t { kInteger, kReal, kText, kDivisionByZero, kFailure };

  static Scalar integer(std::int64_t value) { return {Kind::kInteger, {.whole = value}}; }
  static Scalar real(double value) { return {Kind::kReal, {.number = value}}; }
  static Scalar text(std::int64_t rank) { return {Kind::kText, {.whole = rank}}; }
  static Scalar boolean(bool value) { return integer(value ? 1 : 0); }
  static Scalar division_by_zero() { return {Kind::kDivisionByZero, {.whole = 0}}; }
  static Scalar failure() { return {Kind::kFailure, {.whole = 0}}; }

  bool is_integer() const { return kind == Kind::kInteger; }
  bool is_real() const { return kind == Kind::kReal; }
  bool is_text() const { return kind == Kind::kText; }
  bool is_number() const { return kind <= Kind::kReal; }
  bool is_value() const { return kind <= Kind::kText; }
  // is_number() only.
  double as_double() const {
    return is_integer() ? static_cast<double>(payload.whole) : payload.number;
  }
  std::uint64_t bits() const { return static_cast<std::uint64_t>(payload.whole); }

  Kind kind = Kind::kInteger;
  union {
    std::int64_t whole;
    double number;
  } payload = {.whole = 0};
};

// Identical, not Python's equality: 1 and 1.0 go different ways from here.
inline bool identical(Scalar a, Scalar b) { return a.kind == b.kind && a.bits() == b.bits(); }

namespace detail {
Scalar any_arithmetic(ArithmeticOperator op, Scalar a, Scalar b);
Scalar any_compared(Comparator comparator, Scalar a, Scalar b);
}  // namespace detail

// Python's operators on numbers; kFailure for texts, for a bit operator on a double and for a shift
// by less than 0. An integer beyond 64 bits goes on as a double.
inline Scalar arithmetic(ArithmeticOperator op, Scalar a, Scalar b) {
  std::int64_t result = 0;
  if (a.is_integer() && b.is_integer()) {  // most there is
    const std::int64_t x = a.payload.whole;
    const std::int64_t y = b.payload.whole;
    if (op == ArithmeticOperator::kMultiply && !__builtin_mul_overflow(x, y, &result)) {
      return Scalar::integer(result);
    }
    if (op == ArithmeticOperator::kAdd && !__builtin_add_overflow(x, y, &result)) {
      return Scalar::integer(result);
    }
  }
  return detail::any_arithmetic(op, a, b);
}
Scalar negated(Scalar a);
// < <= > >= == !=; kFailure where a text and a number are to be ordered.
inline Scalar compared(Comparator comparator, Scalar a, Scalar b) {
  if (a.is_integer() && b.is_integer()) {
    const std::int64_t x = a.payload.whole;
    const std::int64_t y = b.payload.whole;
    switch (comparator) {
      case Comparator::kLess:
        return Scalar::boolean(x < y);
      case Comparator::kLessEqual:
        return Scalar::boolean(x <= y);
      case Comparator::kGreater:
        return Scalar::boolean(x > y);
      case Comparator::kGreaterEqual:
        return Scalar::boolean(x >= y);
      case Comparator::kEqual:
        return Scalar::boolean(x == y);
      default:
        return Scalar::boolean(x != y);
    }
  }
  return detail::any_compared(comparator, a, b);
}
// kAbs kInt kFloat kCeil kFloor kRound kSqrt kLog2 kLog kLog10, of one number
Scalar applied(Function function, Scalar a);
// a.is_value()
inline bool truth_of(Scalar a) {
  return a.is_real() ? a.payload.number != 0 : a.payload.whole != 0;
}

}  // namespace nightshift::search
