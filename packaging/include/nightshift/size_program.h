// Works out the programs of a file of kernels, such as "$M,255,+,256,//": docs/morning.md has their
// words. C++20, the standard library alone.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace nightshift {

// What is wrong with a file of kernels or with a call: a sentence.
struct KernelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
using KernelNumbers = std::map<std::string, double, std::less<>>;  // sizes, by their names

class SizeProgram {
 public:
  // Throws KernelError where `names` lacks a name of the program, or it is none.
  static double run(std::string_view program, const KernelNumbers& names) {
    SizeProgram machine;
    for (std::string_view rest = program; !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      machine.take(word, names);
    }
    if (machine.stack_.size() != 1) throw KernelError("a program leaves no single number");
    return machine.stack_.back();
  }

 private:
  void take(std::string_view word, const KernelNumbers& names) {
    double number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error == std::errc() && end == word.data() + word.size()) {
      stack_.push_back(number);
    } else if (word.starts_with('$')) {
      const auto found = names.find(word.substr(1));
      if (found == names.end()) {
        throw KernelError("the size " + std::string(word.substr(1)) + " is not given");
      }
      stack_.push_back(found->second);
    } else if (word == "if") {
      const double otherwise = pop(), then = pop();
      stack_.push_back(pop() != 0 ? then : otherwise);
    } else if (!of_one(word)) {
      const double b = pop(), a = pop();
      stack_.push_back(of_two(word, a, b));
    }
  }

  double pop() {
    if (stack_.empty()) throw KernelError("a program takes a number that is not there");
    const double top = stack_.back();
    stack_.pop_back();
    return top;
  }

  bool of_one(std::string_view word) {
    using One = double (*)(double);
    static const std::map<std::string_view, One> known = {
        {"neg", [](double a) { return -a; }},
        {"not", [](double a) { return a == 0 ? 1.0 : 0.0; }},
        {"abs", [](double a) { return std::abs(a); }},
        {"int", [](double a) { return std::trunc(a); }},
        {"ceil", [](double a) { return std::ceil(a); }},
        {"floor", [](double a) { return std::floor(a); }}};
    const auto found = known.find(word);
    if (found == known.end()) return false;
    stack_.push_back(found->second(pop()));
    return true;
  }

  static std::int64_t bits(double a) {
    return std::abs(a) < 0x1p63 ? static_cast<std::int64_t>(a) : 0;
  }

  // As Python has them; a division by zero is not a number.
  static double of_two(std::string_view word, double a, double b) {
    using Two = double (*)(double, double);
    static const std::map<std::string_view, Two> known = {
        {"+", [](double x, double y) { return x + y; }},
        {"-", [](double x, double y) { return x - y; }},
        {"*", [](double x, double y) { return x * y; }},
        {"/", [](double x, double y) { return y == 0 ? std::nan("") : x / y; }},
        {"//", [](double x, double y) { return y == 0 ? std::nan("") : std::floor(x / y); }},
        {"%", [](double x, double y) { return y == 0 ? std::nan("") : x - y * std::floor(x / y); }},
        {"&", [](double x, double y) { return static_cast<double>(bits(x) & bits(y)); }},
        {"<", [](double x, double y) { return x < y ? 1.0 : 0.0; }},
        {"<=", [](double x, double y) { return x <= y ? 1.0 : 0.0; }},
        {">", [](double x, double y) { return x > y ? 1.0 : 0.0; }},
        {">=", [](double x, double y) { return x >= y ? 1.0 : 0.0; }},
        {"==", [](double x, double y) { return x == y ? 1.0 : 0.0; }},
        {"!=", [](double x, double y) { return x != y ? 1.0 : 0.0; }},
        {"min", [](double x, double y) { return y < x ? y : x; }},
        {"max", [](double x, double y) { return y > x ? y : x; }},
        {"and", [](double x, double y) { return x != 0 ? y : x; }},
        {"or", [](double x, double y) { return x != 0 ? x : y; }}};
    const auto found = known.find(word);
    if (found == known.end()) {
      throw KernelError("a program has the unknown word " + std::string(word));
    }
    return found->second(a, b);
  }

  std::vector<double> stack_;
};

}  // namespace nightshift
