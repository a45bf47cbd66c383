#include "search/table/size_condition.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

#include "search/expression.h"
#include "search/table/size_program.h"

namespace nightshift::search {
namespace {

constexpr double kExact = 0x1p53;

// Between which numbers a value of a program is.
struct Bounds {
  double low = 0, high = 0;
  bool is_whole = true;
};

constexpr Bounds kTruth{0, 1, true};

// What the bounds of a program's values do not allow.
struct NotAskable {};

Bounds hull(const Bounds& a, const Bounds& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.is_whole && b.is_whole};
}

template <class Of>
Bounds of_corners(const Bounds& a, const Bounds& b, bool is_whole, const Of& of) {
  const std::array corners{of(a.low, b.low), of(a.low, b.high), of(a.high, b.low),
                           of(a.high, b.high)};
  return {std::ranges::min(corners), std::ranges::max(corners), is_whole};
}

// Runs a program on the bounds of its sizes.
class BoundsMachine {
 public:
  BoundsMachine(const std::vector<std::string>& names, const std::vector<SizeRange>& ranges)
      : names_(names), ranges_(ranges) {}

  void run(std::string_view program) {
    while (!program.empty()) {
      const std::string_view word = program.substr(0, program.find(','));
      program.remove_prefix(std::min(program.size(), word.size() + 1));
      const Bounds value = value_of(word);
      if (!(std::abs(value.low) <= kExact && std::abs(value.high) <= kExact)) throw NotAskable();
      stack_.push_back(value);
    }
  }

 private:
  Bounds pop() {
    if (stack_.empty()) throw NotAskable();
    const Bounds top = stack_.back();
    stack_.pop_back();
    return top;
  }

  Bounds value_of(std::string_view word) {
    double number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error == std::errc() && end == word.data() + word.size()) {
      return {number, number, number == std::floor(number)};
    }
    if (word.starts_with('$')) return bounds_of(word.substr(1));
    if (word == "if") {
      const Bounds otherwise = pop(), then = pop();
      (void)pop();
      return hull(then, otherwise);
    }
    if (word == "neg" || word == "not" || word == "abs" || word == "int" || word == "ceil" ||
        word == "floor") {
      return of_one(word, pop());
    }
    const Bounds b = pop(), a = pop();
    return of_two(word, a, b);
  }

  Bounds bounds_of(std::string_view name) const {
    const auto found = std::ranges::find(names_, name);
    if (found == names_.end()) throw NotAskable();
    const SizeRange& range = ranges_.at(static_cast<std::size_t>(found - names_.begin()));
    return {static_cast<double>(range.least), static_cast<double>(range.most), true};
  }

  static Bounds of_one(std::string_view word, const Bounds& a) {
    if (word == "neg") return {-a.high, -a.low, a.is_whole};
    if (word == "not") return kTruth;
    if (word == "abs") {
      return {0, std::max(std::abs(a.low), std::abs(a.high)), a.is_whole};
    }
    return {std::floor(a.low), std::ceil(a.high), true};
  }

  static Bounds of_two(std::string_view word, const Bounds& a, const Bounds& b) {
    const bool whole = a.is_whole && b.is_whole;
    if (word == "+") return {a.low + b.low, a.high + b.high, whole};
    if (word == "-") return {a.low - b.high, a.high - b.low, whole};
    if (word == "*") return of_corners(a, b, whole, [](double x, double y) { return x * y; });
    if (word == "min") return {std::min(a.low, b.low), std::min(a.high, b.high), whole};
    if (word == "max") return {std::max(a.low, b.low), std::max(a.high, b.high), whole};
    if (word == "and") return hull(hull(b, {}), {0, 0, a.is_whole});
    if (word == "or") return hull(a, b);
    if (word == "&") {
      if (!whole || a.low < 0 || b.low < 0) throw NotAskable();
      return {0, std::min(a.high, b.high), true};
    }
    const bool divides = word == "/" || word == "//" || word == "%";
    if (!divides) return kTruth;  // a comparison
    if (b.low <= 0 && b.high >= 0) throw NotAskable();
    if (word == "%") return {std::min(b.low, 0.0), std::max(b.high, 0.0), whole};
    const bool floors = word == "//";
    return of_corners(a, b, floors && whole,
                      [&](double x, double y) { return floors ? std::floor(x / y) : x / y; });
  }

  const std::vector<std::string>& names_;
  const std::vector<SizeRange>& ranges_;
  std::vector<Bounds> stack_;
};

}  // namespace

std::optional<std::string> condition_program(const std::string& expression,
                                             const std::vector<std::string>& names) {
  try {
    return size_program(
        Expression::parse(expression), [](std::string_view) -> const Value* { return nullptr; },
        names);
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
}

bool is_askable(const std::string& expression, const std::vector<std::string>& names,
                const std::vector<SizeRange>& ranges) {
  const auto program = condition_program(expression, names);
  if (!program) return false;
  try {
    BoundsMachine(names, ranges).run(*program);
  } catch (const NotAskable&) {
    return false;
  }
  return true;
}

bool holds(const SizeCondition& condition, const Sizes& sizes) {
  if (condition.holds.empty()) return false;
  std::vector<Value> values;
  for (const auto& [name, size] : sizes) values.emplace_back(size);
  try {
    return Expression::parse(condition.holds).holds([&](std::string_view name) -> const Value* {
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i].first == name) return &values[i];
      }
      return nullptr;
    });
  } catch (const ExpressionError&) {
    return false;
  }
}

}  // namespace nightshift::search
