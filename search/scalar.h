#pragma once

#include <cstdint>

#include "search/expression_tree.h"

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

// Python's operators on numbers; kFailure for texts.
Scalar arithmetic(ArithmeticOperator op, Scalar a, Scalar b);
Scalar negated(Scalar a);
// < <= > >= == !=; kFailure where a text and a number are to be ordered.
Scalar compared(Comparator comparator, Scalar a, Scalar b);
// abs int float ceil floor log2
Scalar applied(Function function, Scalar a);
bool truth_of(Scalar a);  // a.is_value()

}  // namespace nightshift::search
