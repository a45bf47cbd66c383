#include "evaluator/answers/verification.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "search/element_type.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
T element_at(const std::byte* bytes, std::size_t i) {
  T value;
  std::memcpy(&value, bytes + i * sizeof value, sizeof value);
  return value;
}

// |got - expected|; 0 for equal numbers, NaNs and infinities, infinite for unlike ones.
double error_between(double got, double expected) {
  if (got == expected || (std::isnan(got) && std::isnan(expected))) return 0;
  const double error = std::abs(got - expected);
  return std::isfinite(error) ? error : kInfinity;
}

struct Pair {
  double got = 0;
  double expected = 0;
  double error = 0;
};

constexpr std::string_view kIs = " is ", kWhere = " where ", kExpected = " was expected";

template <class T>
bool is_in_double(T value) {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << std::numeric_limits<double>::digits;
  const auto size =
      value < T{0} ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  return size <= kLargest;
}

template <class T>
std::uint64_t distance_between(T value, T wanted) {
  // Unsigned arithmetic: exact for 64 bits, where doubles are not.
  const auto a = static_cast<std::uint64_t>(value), b = static_cast<std::uint64_t>(wanted);
  return value > wanted ? a - b : b - a;
}

template <class T>
Pair pair_at(const std::byte* got, const ExpectedOutput& expected, std::size_t i) {
  const T value = element_at<T>(got, i);
  if constexpr (std::is_floating_point_v<T>) {
    const auto number = static_cast<double>(value);
    return {number, expected.floating[i], error_between(number, expected.floating[i])};
  } else {
    const T wanted = element_at<T>(expected.integers.data(), i);
    return {static_cast<double>(value), static_cast<double>(wanted),
            static_cast<double>(distance_between(value, wanted))};
  }
}

// Of integers that no double is: "A where B was expected, off by C".
template <class T>
std::string all_digits(T value, T wanted) {
  if (is_in_double(value) && is_in_double(wanted)) return {};
  return std::to_string(value) + std::string(kWhere) + std::to_string(wanted) +
         std::string(kExpected) + ", off by " + std::to_string(distance_between(value, wanted));
}

double within(const search::Tolerance& tolerance, double expected) {
  return tolerance.absolute + tolerance.relative * std::abs(expected);
}

std::string element_of(const search::WrongResult& wrong) {
  return wrong.output + "[" + std::to_string(wrong.element) + "]";
}

// As search::describe has it, with all digits.
std::string told_exactly(const search::WrongResult& wrong, const std::string& digits) {
  std::string tolerance = search::to_text(search::Value(wrong.tolerance));
  if (tolerance.ends_with(".0")) tolerance.resize(tolerance.size() - 2);
  return element_of(wrong) + std::string(kIs) + digits + " with a tolerance of " + tolerance;
}

// What is there, with all digits.
std::string got_digits(const search::WrongResult& wrong) {
  const std::size_t is = wrong.message.find(kIs), where = wrong.message.find(kWhere);
  if (is == std::string::npos || where == std::string::npos || is > where)
    return search::to_text(search::Value(wrong.got));
  return wrong.message.substr(is + kIs.size(), where - is - kIs.size());
}

// What was expected, with all digits.
std::string expected_digits(const search::WrongResult& wrong) {
  const std::size_t where = wrong.message.find(kWhere);
  const std::size_t end = wrong.message.find(kExpected);
  if (where == std::string::npos || end == std::string::npos || where > end)
    return search::to_text(search::Value(wrong.expected));
  return wrong.message.substr(where + kWhere.size(), end - where - kWhere.size());
}

}  // namespace

double size_of(const std::vector<double>& numbers, double below) {
  double largest = 0;  // squares of denormals would be 0, those of large numbers infinite
  for (const double number : numbers) {
    if (std::abs(number) < below) largest = std::max(largest, std::abs(number));
  }
  if (largest == 0) return 0;
  double squares = 0, finite = 0;
  for (const double number : numbers) {
    if (!(std::abs(number) < below)) continue;
    squares += (number / largest) * (number / largest);
    finite += 1;
  }
  return largest * std::sqrt(squares / finite);
}

std::optional<search::WrongResult> verify(const std::string& name, search::ElementType type,
                                          const std::byte* got, std::size_t elements,
                                          const ExpectedOutput& expected,
                                          const search::Tolerance& tolerance) {
  std::optional<search::WrongResult> worst;
  double worst_excess = 1;
  search::with_cpp_type(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    for (std::size_t i = 0; i < elements; ++i) {
      const Pair pair = pair_at<T>(got, expected, i);
      if (pair.error == 0) continue;
      double allowed = within(tolerance, pair.expected);
      if (!expected.rounding.empty()) {
        const double most = within(search::kMostUsualTolerance, pair.expected);
        allowed = std::max(allowed, std::min(expected.rounding[i], most));
      }
      if (!std::isfinite(allowed)) allowed = 0;
      const double excess = allowed > 0 ? pair.error / allowed : kInfinity;
      if (excess <= 1 || (worst && excess <= worst_excess)) continue;
      worst_excess = excess;
      worst = search::WrongResult{name, i, pair.got, pair.expected, pair.error, allowed};
    }
  });
  if (!worst || search::is_floating(type)) return worst;
  const std::size_t at = worst->element * search::bytes_of(type);
  return with_digits(*std::move(worst), type, got + at, expected.integers.data() + at);
}

search::WrongResult with_digits(search::WrongResult wrong, search::ElementType type,
                                const std::byte* got, const std::byte* expected) {
  search::with_cpp_type(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (std::is_integral_v<T>) {
      const T value = element_at<T>(got, 0), wanted = element_at<T>(expected, 0);
      wrong.error = static_cast<double>(distance_between(value, wanted));
      const std::string digits = all_digits(value, wanted);
      if (!digits.empty()) wrong.message = told_exactly(wrong, digits);
    }
  });
  return wrong;
}

double relative_error(search::ElementType type, const std::byte* got, std::size_t elements,
                      const ExpectedOutput& expected) {
  std::vector<double> errors, wanted;
  errors.reserve(elements);
  wanted.reserve(elements);
  search::with_cpp_type(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    for (std::size_t i = 0; i < elements; ++i) {
      const Pair pair = pair_at<T>(got, expected, i);
      if (!(std::abs(pair.expected) < expected.masked_from)) continue;
      errors.push_back(pair.error);
      wanted.push_back(pair.expected);
    }
  });
  const double size = size_of(wanted);
  return size > 0 ? size_of(errors) / size
                  : size_of(errors) * std::sqrt(static_cast<double>(errors.size()));
}

search::WrongResult unwritten(search::WrongResult wrong) {
  wrong.message = element_of(wrong) + " was not written, where " + expected_digits(wrong) +
                  std::string(kExpected);
  wrong.got = std::numeric_limits<double>::quiet_NaN();
  wrong.error = kInfinity;
  return wrong;
}

search::WrongResult unexpected(search::WrongResult wrong, const std::string& who) {
  wrong.message = who + " does not write " + element_of(wrong) + ", which is " + got_digits(wrong) +
                  " here: write all of it there, or make the argument as small as what is written";
  wrong.expected = std::numeric_limits<double>::quiet_NaN();
  wrong.error = kInfinity;
  return wrong;
}

search::WrongResult perhaps_unwritten(search::WrongResult wrong, search::ElementType type,
                                      const std::string& who) {
  if (search::is_floating(type) || search::bytes_of(type) >= kNoChance) return wrong;
  const double before = search::with_cpp_type(type, [](auto tag) {
    typename decltype(tag)::Type value;
    std::memset(&value, kUnwrittenByte, sizeof value);
    return static_cast<double>(value);
  });
  if (wrong.expected != before && wrong.got != before) return wrong;
  wrong.message = (wrong.expected == before ? who : "the kernel") + " may not write " +
                  element_of(wrong) + ", where " + search::to_text(search::Value(before)) +
                  " stands before it runs";
  return wrong;
}

}  // namespace nightshift::evaluator
