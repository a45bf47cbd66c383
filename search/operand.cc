#include "search/operand.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>

#include "search/expression_tokens.h"
#include "search/numbers.h"

namespace nightshift::search {

namespace {

using List = std::shared_ptr<const OperandList>;

double to_double(const Number& n) {
  return std::visit([](auto x) { return static_cast<double>(x); }, n);
}

std::string_view kind_of(const Operand& operand) {
  if (std::holds_alternative<std::string_view>(operand)) return "a text";
  if (std::holds_alternative<List>(operand)) return "a list";
  return "a number";
}

[[noreturn]] void fail_zero(std::size_t position) {
  throw DivisionByZero("character " + std::to_string(position + 1) + ": division by zero",
                       position);
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

Operand integer_power(std::int64_t base, std::int64_t exponent, std::size_t position) {
  if (exponent < 0) {
    if (base == 0) fail_zero(position);
    return std::pow(static_cast<double>(base), static_cast<double>(exponent));
  }
  std::int64_t result = 1;
  std::int64_t factor = base;
  bool factor_fits = true;
  for (std::int64_t left = exponent; left > 0; left >>= 1) {
    const bool fits =
        (left & 1) == 0 || (factor_fits && !__builtin_mul_overflow(result, factor, &result));
    if (!fits) return std::pow(static_cast<double>(base), static_cast<double>(exponent));
    factor_fits = factor_fits && !__builtin_mul_overflow(factor, factor, &factor);
  }
  return result;
}

Operand integer_arithmetic(ArithmeticOperator op, std::int64_t a, std::int64_t b,
                           std::size_t position) {
  std::int64_t result = 0;
  const auto x = static_cast<double>(a);
  const auto y = static_cast<double>(b);
  switch (op) {
    case ArithmeticOperator::kAdd:
      return __builtin_add_overflow(a, b, &result) ? Operand(x + y) : Operand(result);
    case ArithmeticOperator::kSubtract:
      return __builtin_sub_overflow(a, b, &result) ? Operand(x - y) : Operand(result);
    case ArithmeticOperator::kMultiply:
      return __builtin_mul_overflow(a, b, &result) ? Operand(x * y) : Operand(result);
    case ArithmeticOperator::kPower:
      return integer_power(a, b, position);
    default:
      break;
  }
  if (b == 0) fail_zero(position);
  if (op == ArithmeticOperator::kDivide) return x / y;
  if (op == ArithmeticOperator::kModulo) return b == -1 ? std::int64_t{0} : floor_remainder(a, b);
  if (b == -1) return integer_arithmetic(ArithmeticOperator::kSubtract, 0, a, position);
  return floor_quotient(a, b);
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

double double_arithmetic(ArithmeticOperator op, double a, double b, std::size_t position) {
  switch (op) {
    case ArithmeticOperator::kAdd:
      return a + b;
    case ArithmeticOperator::kSubtract:
      return a - b;
    case ArithmeticOperator::kMultiply:
      return a * b;
    case ArithmeticOperator::kPower:
      if (a == 0 && b < 0) fail_zero(position);
      if (a < 0 && std::isfinite(b) && b != std::floor(b)) {
        fail_at(position, "a negative number to a fractional power is no real number");
      }
      return std::pow(a, b);
    case ArithmeticOperator::kDivide:
    case ArithmeticOperator::kFloorDivide:
    case ArithmeticOperator::kModulo:
      break;
  }
  if (b == 0) fail_zero(position);
  if (op == ArithmeticOperator::kDivide) return a / b;
  const auto [quotient, remainder] = floor_division(a, b);
  return op == ArithmeticOperator::kModulo ? remainder : quotient;
}

// --- Comparison ---

std::partial_ordering reversed(std::partial_ordering order) {
  if (std::is_lt(order)) return std::partial_ordering::greater;
  if (std::is_gt(order)) return std::partial_ordering::less;
  return order;
}

std::partial_ordering order_of(const Number& a, const Number& b) {
  const auto* whole_a = std::get_if<std::int64_t>(&a);
  const auto* whole_b = std::get_if<std::int64_t>(&b);
  if (whole_a && whole_b) return *whole_a <=> *whole_b;
  if (whole_a) return compare_exactly(*whole_a, std::get<double>(b));
  if (whole_b) return reversed(compare_exactly(*whole_b, std::get<double>(a)));
  return std::get<double>(a) <=> std::get<double>(b);
}

bool is_number(const Operand& operand) { return operand.index() < 3; }

// Equality and membership with a count of the elements looked at: a list may hold the same long
// list many times over.
struct Comparison {
  std::size_t position;
  std::size_t& steps;

  bool equal(const Operand& a, const Operand& b) const {
    if (++steps > kMaxEvaluationSteps) fail_at(position, "takes too long to compare");
    const auto* whole_a = std::get_if<std::int64_t>(&a);
    const auto* whole_b = std::get_if<std::int64_t>(&b);
    if (whole_a && whole_b) return *whole_a == *whole_b;
    if (is_number(a) && is_number(b)) {
      return std::is_eq(order_of(number_of(a, position), number_of(b, position)));
    }
    if (a.index() != b.index()) return false;
    if (const auto* text = std::get_if<std::string_view>(&a)) {
      return *text == std::get<std::string_view>(b);
    }
    return std::ranges::equal(std::get<List>(a)->items, std::get<List>(b)->items,
                              [&](const Operand& x, const Operand& y) { return equal(x, y); });
  }

  bool contains(const Operand& container, const Operand& item) const {
    if (const auto* list = std::get_if<List>(&container)) {
      return std::ranges::any_of((*list)->items, [&](const Operand& x) { return equal(x, item); });
    }
    const auto* text = std::get_if<std::string_view>(&container);
    const auto* part = std::get_if<std::string_view>(&item);
    if (text && part) return text->find(*part) != std::string_view::npos;
    fail_at(position,
            "'in' needs a list or a tuple on its right, found " + std::string(kind_of(container)));
  }
};

Operand rounded(double x, std::size_t position) {
  if (!(x >= -0x1p63 && x < 0x1p63)) fail_at(position, "the number does not fit 64 bits");
  return static_cast<std::int64_t>(x);
}

}  // namespace

Operand operand_of(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return std::string_view(*text);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return std::get<bool>(value);
}

bool truth_of(const Operand& operand) {
  if (const bool* flag = std::get_if<bool>(&operand)) return *flag;
  if (const auto* whole = std::get_if<std::int64_t>(&operand)) return *whole != 0;
  if (const auto* number = std::get_if<double>(&operand)) return *number != 0;
  if (const auto* text = std::get_if<std::string_view>(&operand)) return !text->empty();
  return !std::get<List>(operand)->items.empty();
}

Number number_of(const Operand& operand, std::size_t position) {
  if (const bool* flag = std::get_if<bool>(&operand)) return static_cast<std::int64_t>(*flag);
  if (const auto* whole = std::get_if<std::int64_t>(&operand)) return *whole;
  if (const auto* number = std::get_if<double>(&operand)) return *number;
  fail_at(position, "expected a number, found " + std::string(kind_of(operand)));
}

Operand arithmetic(ArithmeticOperator op, const Operand& a, const Operand& b,
                   std::size_t position) {
  const Number x = number_of(a, position);
  const Number y = number_of(b, position);
  const auto* whole_x = std::get_if<std::int64_t>(&x);
  const auto* whole_y = std::get_if<std::int64_t>(&y);
  if (whole_x && whole_y) return integer_arithmetic(op, *whole_x, *whole_y, position);
  return double_arithmetic(op, to_double(x), to_double(y), position);
}

Operand negated(const Operand& a, std::size_t position) {
  const Number x = number_of(a, position);
  if (const auto* number = std::get_if<double>(&x)) return -*number;
  return integer_arithmetic(ArithmeticOperator::kSubtract, 0, std::get<std::int64_t>(x), position);
}

bool compares(Comparator comparator, const Operand& a, const Operand& b, std::size_t position,
              std::size_t& steps) {
  const Comparison comparison{position, steps};
  switch (comparator) {
    case Comparator::kEqual:
      return comparison.equal(a, b);
    case Comparator::kNotEqual:
      return !comparison.equal(a, b);
    case Comparator::kIn:
      return comparison.contains(b, a);
    case Comparator::kNotIn:
      return !comparison.contains(b, a);
    default:
      break;
  }
  ++steps;
  const auto* text_a = std::get_if<std::string_view>(&a);
  const auto* text_b = std::get_if<std::string_view>(&b);
  if (is_number(a) != is_number(b)) {
    fail_at(position,
            "cannot order " + std::string(kind_of(a)) + " and " + std::string(kind_of(b)));
  }
  const std::partial_ordering order =
      text_a && text_b ? std::partial_ordering(*text_a <=> *text_b)
                       : order_of(number_of(a, position), number_of(b, position));
  switch (comparator) {
    case Comparator::kLess:
      return std::is_lt(order);
    case Comparator::kLessEqual:
      return std::is_lteq(order);
    case Comparator::kGreater:
      return std::is_gt(order);
    default:
      return std::is_gteq(order);
  }
}

Operand apply(Function function, const Operand& a, std::size_t position) {
  const Number x = number_of(a, position);
  const auto* whole = std::get_if<std::int64_t>(&x);
  const double number = to_double(x);
  switch (function) {
    case Function::kAbs:
      return number < 0 ? negated(a, position) : std::visit([](auto n) { return Operand(n); }, x);
    case Function::kFloat:
      return number;
    case Function::kLog2:
      if (!(number > 0)) fail_at(position, "log2() needs a number above 0");
      return std::log2(number);
    case Function::kInt:
      return whole ? Operand(*whole) : rounded(std::trunc(number), position);
    case Function::kCeil:
      return whole ? Operand(*whole) : rounded(std::ceil(number), position);
    default:
      return whole ? Operand(*whole) : rounded(std::floor(number), position);
  }
}

}  // namespace nightshift::search
