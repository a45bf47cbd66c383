#include "search/expression/operand_functions.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include "search/expression/expression_tokens.h"

namespace nightshift::search {

namespace {

std::uint64_t magnitude(std::int64_t n) {
  const auto bits = static_cast<std::uint64_t>(n);
  return n < 0 ? 0 - bits : bits;
}

Operand unsigned_operand(std::uint64_t n) {
  if (n <= static_cast<std::uint64_t>(INT64_MAX)) return static_cast<std::int64_t>(n);
  return static_cast<double>(n);
}

}  // namespace

Operand length_of(const Operand& a, std::size_t position) {
  if (const auto* text = std::get_if<std::string_view>(&a)) {
    return static_cast<std::int64_t>(
        std::ranges::count_if(*text, [](char c) { return (c & 0xC0) != 0x80; }));
  }
  const auto* list = std::get_if<std::shared_ptr<const OperandList>>(&a);
  if (list == nullptr) fail_at(position, "len() needs a list or a text");
  if ((*list)->kind == SequenceKind::kGenerator)
    fail_at(position, "len() does not count what a generator has; write a list: [x for x in ...]");
  return static_cast<std::int64_t>((*list)->items.size());
}

Operand greatest_divisor(std::int64_t a, std::int64_t b) {
  return unsigned_operand(std::gcd(magnitude(a), magnitude(b)));
}

Operand least_multiple(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return std::int64_t{0};
  const std::uint64_t x = magnitude(a);
  const std::uint64_t y = magnitude(b);
  const std::uint64_t factor = x / std::gcd(x, y);
  std::uint64_t result = 0;
  if (__builtin_mul_overflow(factor, y, &result)) {
    return static_cast<double>(factor) * static_cast<double>(y);
  }
  return unsigned_operand(result);
}

Operand rounded_to(const Operand& a, std::int64_t digits, std::size_t position) {
  constexpr std::int64_t kMostDigits = 300;
  const Number number = number_of(a, position);
  if (digits < 0) fail_at(position, "round() to tens and hundreds is not there");
  const auto* whole = std::get_if<std::int64_t>(&number);
  if (whole != nullptr) return *whole;
  const double value = std::get<double>(number);
  if (!std::isfinite(value) || digits > kMostDigits) return value;
  std::array<char, 700> text;  // 309 digits before the point and as many behind it
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value,
                                     std::chars_format::fixed, static_cast<int>(digits));
  double result = value;
  std::from_chars(text.data(), written.ptr, result);
  return result;
}

}  // namespace nightshift::search
