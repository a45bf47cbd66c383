#include "search/expression/term_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nightshift::search {

namespace {

using Kind = Term::Kind;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

enum class Truth : std::uint8_t { kFalse, kTrue, kEither };

Truth truth_of(const Bounds& b) {
  if (!b.known) return Truth::kEither;
  if (b.low > 0 || b.high < 0) return Truth::kTrue;
  return b.low == 0 && b.high == 0 ? Truth::kFalse : Truth::kEither;
}

Bounds truth_bounds(Truth truth, const Bounds& origin) {
  Bounds b = origin;
  b.known = b.integral = true;
  b.low = truth == Truth::kTrue ? 1 : 0;
  b.high = truth == Truth::kFalse ? 0 : 1;
  return b;
}

void add_risks(Bounds& b, const Bounds& operand) {
  b.may_divide_by_zero |= operand.may_divide_by_zero;
  b.may_fail |= operand.may_fail;
}

// A number that comes from numbers, with the risks of its operands.
Bounds number_from(std::span<const Bounds> operands) {
  Bounds b{.known = true,
           .integral = true,
           .may_divide_by_zero = false,
           .may_fail = false,
           .low = 0,
           .high = 0};
  for (const Bounds& operand : operands) {
    b.known &= operand.known;
    b.integral &= operand.integral;
    add_risks(b, operand);
    b.may_fail |= !operand.known;  // it may be a text
  }
  return b;
}

template <class Operation>
void set_corners(Bounds& result, const Bounds& a, const Bounds& b, const Operation& operation) {
  const double corners[] = {operation(a.low, b.low), operation(a.low, b.high),
                            operation(a.high, b.low), operation(a.high, b.high)};
  result.low = kInfinite;
  result.high = -kInfinite;
  for (const double corner : corners) {
    if (std::isnan(corner)) result.known = result.integral = false;
    result.low = std::min(result.low, corner);
    result.high = std::max(result.high, corner);
  }
}

bool can_be_zero(const Bounds& b) { return !b.known || (b.low <= 0 && b.high >= 0); }

Bounds quotient(ArithmeticOperator op, const Bounds& a, const Bounds& b) {
  Bounds result = number_from(std::initializer_list<Bounds>{a, b});
  if (can_be_zero(b)) result.may_divide_by_zero = true;
  if (!result.known || can_be_zero(b)) {
    result.known = result.integral = false;
    return result;
  }
  if (op == ArithmeticOperator::kDivide) {
    result.integral = false;
    set_corners(result, a, b, [](double x, double y) { return x / y; });
    return result;
  }
  if (!result.integral) {
    result.known = false;
    return result;
  }
  if (op == ArithmeticOperator::kModulo) {
    result.low = b.high < 0 ? b.low + 1 : 0;
    result.high = b.high < 0 ? 0 : b.high - 1;
    if (b.low > 0 && a.low >= 0) result.high = std::min(result.high, a.high);
    return result;
  }
  // The quotient of doubles may round up to the next integer.
  set_corners(result, a, b, [](double x, double y) { return std::floor(x / y); });
  result.low -= 1;
  result.high += 1;
  return result;
}

Bounds power(const Bounds& a, const Bounds& b) {
  Bounds result = number_from(std::initializer_list<Bounds>{a, b});
  const double reach = std::max({std::abs(a.low), std::abs(a.high), 1.0});
  const double most = std::ceil(std::pow(reach, b.high) * (1 + 1e-12));
  if (result.integral && result.known && b.low >= 0 && most < kExact) {
    result.low = a.low >= 1 ? std::floor(std::pow(a.low, b.low) * (1 - 1e-12)) : -most;
    result.high = most;
    return result;
  }
  const bool positive = a.known && a.low > 0;
  result.may_divide_by_zero |= !positive;
  result.may_fail |= !positive;
  result.known = result.integral = false;
  return result;
}

// Of integers of up to 53 bits, so that the results of shifts are exact as doubles.
Bounds shift(ArithmeticOperator op, const Bounds& a, const Bounds& b) {
  Bounds result = number_from(std::initializer_list<Bounds>{a, b});
  result.may_fail |= !result.integral || b.low < 0;
  result.known = result.integral = result.known && result.integral && b.low >= 0;
  if (!result.known) return result;
  const bool left = op == ArithmeticOperator::kShiftLeft;
  constexpr double kBeyond = 4096;
  set_corners(result, a, b, [&](double x, double count) {
    const auto bits = static_cast<int>(std::min(count, kBeyond));
    return std::floor(std::ldexp(x, left ? bits : -bits));
  });
  return result;
}

// Both in [-m, m - 1], a power of two, stay in there.
Bounds bitwise(ArithmeticOperator op, const Bounds& a, const Bounds& b) {
  Bounds result = number_from(std::initializer_list<Bounds>{a, b});
  result.may_fail |= !result.integral;
  result.known = result.integral = result.known && result.integral;
  if (!result.known) return result;
  const double reach = std::max({-a.low, -b.low, a.high + 1, b.high + 1, 1.0});
  int exponent = 0;
  const double mantissa = std::frexp(reach, &exponent);
  const double m = mantissa == 0.5 ? reach : std::ldexp(1.0, exponent);
  const bool no_negative = a.low >= 0 && b.low >= 0;
  const bool one_not = a.low >= 0 || b.low >= 0;
  const bool conjunction = op == ArithmeticOperator::kBitAnd;
  result.low = no_negative || (conjunction && one_not) ? 0 : -m;
  result.high = m - 1;
  if (conjunction && a.low >= 0) result.high = std::min(result.high, a.high);
  if (conjunction && b.low >= 0) result.high = std::min(result.high, b.high);
  return result;
}

Bounds arithmetic_bounds(ArithmeticOperator op, const Bounds& a, const Bounds& b) {
  Bounds result = number_from(std::initializer_list<Bounds>{a, b});
  switch (op) {
    case ArithmeticOperator::kAdd:
      result.low = a.low + b.low;
      result.high = a.high + b.high;
      return result;
    case ArithmeticOperator::kSubtract:
      result.low = a.low - b.high;
      result.high = a.high - b.low;
      return result;
    case ArithmeticOperator::kMultiply:
      set_corners(result, a, b, [](double x, double y) { return x * y; });
      return result;
    case ArithmeticOperator::kPower:
      return power(a, b);
    case ArithmeticOperator::kShiftLeft:
    case ArithmeticOperator::kShiftRight:
      return shift(op, a, b);
    case ArithmeticOperator::kBitAnd:
    case ArithmeticOperator::kBitXor:
    case ArithmeticOperator::kBitOr:
      return bitwise(op, a, b);
    default:
      return quotient(op, a, b);
  }
}

Bounds comparison(Comparator comparator, const Bounds& a, const Bounds& b) {
  const bool equality = comparator == Comparator::kEqual || comparator == Comparator::kNotEqual;
  Bounds risks = number_from(std::initializer_list<Bounds>{a, b});
  if (equality) risks.may_fail = a.may_fail || b.may_fail;
  if (!a.known || !b.known) return truth_bounds(Truth::kEither, risks);
  const auto decided = [&](bool holds, bool fails) {
    return truth_bounds(holds ? Truth::kTrue : fails ? Truth::kFalse : Truth::kEither, risks);
  };
  const bool apart = a.high < b.low || b.high < a.low;
  const bool equal = a.low == a.high && b.low == b.high && a.low == b.low;
  switch (comparator) {
    case Comparator::kLess:
      return decided(a.high < b.low, a.low >= b.high);
    case Comparator::kLessEqual:
      return decided(a.high <= b.low, a.low > b.high);
    case Comparator::kGreater:
      return decided(a.low > b.high, a.high <= b.low);
    case Comparator::kGreaterEqual:
      return decided(a.low >= b.high, a.high < b.low);
    case Comparator::kEqual:
      return decided(equal, apart);
    default:
      return decided(apart, equal);
  }
}

// The first operand that decides, or the last one.
Bounds logic(bool conjunction, std::span<const Bounds> operands) {
  const Truth passing = conjunction ? Truth::kTrue : Truth::kFalse;
  Bounds result;
  bool any = false;
  bool divides = false;
  bool fails = false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Truth truth = truth_of(operands[i]);
    divides |= operands[i].may_divide_by_zero;
    fails |= operands[i].may_fail;
    const bool last = i + 1 == operands.size();
    if (truth == passing && !last) continue;
    Bounds given = operands[i];
    if (conjunction && !last && given.known) given.low = given.high = 0;
    result = any ? unite(result, given) : given;
    any = true;
    if (truth != Truth::kEither && truth != passing) break;
  }
  result.may_divide_by_zero = divides;
  result.may_fail = fails;
  return result;
}

Bounds one_of(std::span<const Bounds> operands) {
  Bounds risks = number_from({});
  bool possible = false;
  for (const Bounds& operand : operands) add_risks(risks, operand);
  const Bounds& wanted = operands.front();
  for (const Bounds& item : operands.subspan(1)) {
    possible |= !wanted.known || !item.known || !(wanted.high < item.low || item.high < wanted.low);
  }
  return truth_bounds(possible ? Truth::kEither : Truth::kFalse, risks);
}

Bounds extreme(bool minimum, std::span<const Bounds> operands) {
  Bounds result = number_from(operands);
  result.low = operands.front().low;
  result.high = operands.front().high;
  for (const Bounds& operand : operands.subspan(1)) {
    result.known &= operand.integral == operands.front().integral;
    result.low = minimum ? std::min(result.low, operand.low) : std::max(result.low, operand.low);
    result.high =
        minimum ? std::min(result.high, operand.high) : std::max(result.high, operand.high);
  }
  return result;
}

// Of a real operand, by a function that makes it whole; `result` has the risks.
Bounds rounded(Function function, const Bounds& a, Bounds result) {
  const bool fits = a.known && a.low >= -kExact && a.high <= kExact;
  result.integral = result.known = fits;
  result.may_fail |= !fits;
  const auto whole = [&](double x) {
    return static_cast<double>(applied(function, Scalar::real(x)).payload.whole);
  };
  result.low = whole(a.low);
  result.high = whole(a.high);
  return result;
}

Bounds application(Function function, const Bounds& a) {
  Bounds result = number_from(std::span(&a, 1));
  result.low = a.low;
  result.high = a.high;
  switch (function) {
    case Function::kAbs:
      if (a.high < 0 || a.low < 0) {
        result.low = a.high < 0 ? -a.high : 0;
        result.high = std::max(-a.low, a.high);
      }
      return result;
    case Function::kFloat:
      result.integral = false;
      return result;
    case Function::kSqrt:
      result.may_fail |= !a.known || a.low < 0;
      result.known = result.known && a.low >= 0;
      result.integral = false;
      result.low = std::sqrt(a.low);
      result.high = std::sqrt(a.high);
      return result;
    case Function::kLog2:  // no promise that they are monotone to the last bit
    case Function::kLog:
    case Function::kLog10:
      result.known = result.integral = false;
      result.may_fail |= !a.known || a.low <= 0;
      return result;
    default:
      break;
  }
  return a.integral ? result : rounded(function, a, result);
}

Bounds complement(const Bounds& a) {
  const Truth truth = truth_of(a);
  return truth_bounds(truth == Truth::kEither ? truth
                      : truth == Truth::kTrue ? Truth::kFalse
                                              : Truth::kTrue,
                      a);
}

Bounds negative(std::span<const Bounds> operands) {
  Bounds result = number_from(operands);
  result.low = -operands[0].high;
  result.high = -operands[0].low;
  return result;
}

Bounds joined(ArithmeticOperator op, std::span<const Bounds> operands) {
  Bounds result = operands[0];
  for (const Bounds& operand : operands.subspan(1)) {
    result = arithmetic_bounds(op, result, operand);
  }
  return result;
}

Bounds conditional(const Bounds& condition, const Bounds& then, const Bounds& otherwise) {
  const Truth truth = truth_of(condition);
  Bounds result = truth == Truth::kTrue    ? then
                  : truth == Truth::kFalse ? otherwise
                                           : unite(then, otherwise);
  add_risks(result, condition);
  return result;
}

Bounds unchecked(const Term& term, std::span<const Bounds> operands) {
  switch (term.kind) {
    case Kind::kNot:
      return complement(operands[0]);
    case Kind::kNegate:
      return negative(operands);
    case Kind::kNumber: {
      Bounds result = operands[0];
      result.may_fail |= !result.known;
      return result;
    }
    case Kind::kArithmetic:
      return arithmetic_bounds(static_cast<ArithmeticOperator>(term.op), operands[0], operands[1]);
    case Kind::kSum:
      return joined(ArithmeticOperator::kAdd, operands);
    case Kind::kProduct:
      return joined(ArithmeticOperator::kMultiply, operands);
    case Kind::kCompare:
      return comparison(static_cast<Comparator>(term.op), operands[0], operands[1]);
    case Kind::kAnd:
    case Kind::kOr:
      return logic(term.kind == Kind::kAnd, operands);
    case Kind::kConditional:
      return conditional(operands[0], operands[1], operands[2]);
    case Kind::kOneOf:
      return one_of(operands);
    case Kind::kMinimum:
    case Kind::kMaximum:
      return extreme(term.kind == Kind::kMinimum, operands);
    case Kind::kApply:
      return application(static_cast<Function>(term.op), operands[0]);
    default:
      return {};
  }
}

}  // namespace

Bounds bounds_of(const Term& term, std::span<const Bounds> operands) {
  return checked(unchecked(term, operands));
}

}  // namespace nightshift::search
