#include "tools/table/formats/table_conditions.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "search/table/size_condition.h"

namespace nightshift::tools {
namespace {

// A value of a program as code: in C++ a double or a bool, in Python a number.
struct Code {
  std::string text;
  bool is_truth = false;
};

class ConditionWriter {
 public:
  ConditionWriter(const std::vector<std::string>& sizes, const std::vector<std::string>& names,
                  CodeLanguage language)
      : sizes_(sizes), names_(names), is_cpp_(language == CodeLanguage::kCpp) {}

  std::string written(std::string_view program) {
    while (!program.empty()) {
      const std::string_view word = program.substr(0, program.find(','));
      program.remove_prefix(std::min(program.size(), word.size() + 1));
      stack_.push_back(code_of(word));
    }
    return truth(stack_.back());
  }

 private:
  Code pop() {
    Code top = std::move(stack_.back());
    stack_.pop_back();
    return top;
  }
  std::string truth(const Code& code) const {
    return code.is_truth || !is_cpp_ ? code.text : "(" + code.text + " != 0.0)";
  }
  std::string number(const Code& code) const {
    return code.is_truth && is_cpp_ ? "(" + code.text + " ? 1.0 : 0.0)" : code.text;
  }
  Code chosen(const std::string& condition, const std::string& then,
              const std::string& otherwise) const {
    return is_cpp_ ? Code{"(" + condition + " ? " + then + " : " + otherwise + ")"}
                   : Code{"(" + then + " if " + condition + " else " + otherwise + ")"};
  }

  Code code_of(std::string_view word) {
    if (word.starts_with('$')) {
      const auto at = std::ranges::find(sizes_, word.substr(1)) - sizes_.begin();
      const std::string& name = names_[static_cast<std::size_t>(at)];
      return {is_cpp_ ? "double(" + name + ")" : name};
    }
    const bool is_negative = word.size() > 1 && word.front() == '-';
    if (base::is_digit(word.front()) || is_negative) {
      std::string literal(word);
      if (is_cpp_ && literal.find_first_of(".e") == std::string::npos) literal += ".0";
      return {is_negative ? "(" + literal + ")" : literal};
    }
    if (word == "if") {
      const Code otherwise = pop(), then = pop();
      return chosen(truth(pop()), number(then), number(otherwise));
    }
    if (word == "neg") return {"(-" + number(pop()) + ")"};
    if (word == "not") return {(is_cpp_ ? "(!" : "(not ") + truth(pop()) + ")", true};
    if (word == "abs" || word == "int" || word == "ceil" || word == "floor") {
      return rounded(word, number(pop()));
    }
    const Code b = pop(), a = pop();
    return of_two(word, a, b);
  }

  Code rounded(std::string_view word, const std::string& a) const {
    if (word == "floor") return {is_cpp_ ? "rounded_down(" + a + ")" : "(" + a + " // 1)"};
    if (word == "ceil") {
      return {is_cpp_ ? "(-rounded_down(-" + a + "))" : "(-(-" + a + " // 1))"};
    }
    if (!is_cpp_) return {std::string(word) + "(" + a + ")"};
    if (word == "abs") return {"(" + a + " < 0.0 ? -" + a + " : " + a + ")"};
    return {"double(static_cast<long long>(" + a + "))"};
  }

  Code of_two(std::string_view word, const Code& a, const Code& b) const {
    const std::string x = number(a), y = number(b), op = " " + std::string(word) + " ";
    if (word == "and" || word == "or") {
      if (!is_cpp_) return {"(" + x + op + y + ")"};
      const bool both = word == "and";
      if (a.is_truth && b.is_truth) {
        return {"(" + a.text + (both ? " && " : " || ") + b.text + ")", true};
      }
      return both ? chosen(truth(a), y, x) : chosen(truth(a), x, y);
    }
    if (word == "min") return chosen(y + " < " + x, y, x);
    if (word == "max") return chosen(y + " > " + x, y, x);
    const bool is_arithmetic = word == "+" || word == "-" || word == "*" || word == "/";
    if (is_arithmetic) return {"(" + x + op + y + ")"};
    if (word == "&") {
      return {is_cpp_ ? "of_bits(" + x + ", " + y + ")" : "(int(" + x + ") & int(" + y + "))"};
    }
    if (word == "//" || word == "%") {
      if (!is_cpp_) return {"(" + x + op + y + ")"};
      return {word == "%" ? "remainder_of(" + x + ", " + y + ")"
                          : "rounded_down(" + x + " / " + y + ")"};
    }
    return {"(" + x + op + y + ")", true};  // a comparison
  }

  const std::vector<std::string>& sizes_;
  const std::vector<std::string>& names_;
  bool is_cpp_;
  std::vector<Code> stack_;
};

}  // namespace

const std::string_view kConditionFunctions =
    "constexpr double rounded_down(double x) {\n"
    "  const double whole = double(static_cast<long long>(x));\n"
    "  return whole > x ? whole - 1.0 : whole;\n}\n"
    "constexpr double remainder_of(double x, double y) { return x - y * rounded_down(x / y); }\n"
    "constexpr double of_bits(double x, double y) {\n"
    "  return double(static_cast<long long>(x) & static_cast<long long>(y));\n}\n\n";

std::string condition_text(const std::string& condition, const std::vector<std::string>& sizes,
                           const std::vector<std::string>& names, CodeLanguage language) {
  const auto program = search::condition_program(condition, sizes);
  if (!program) return language == CodeLanguage::kCpp ? "false" : "False";
  return ConditionWriter(sizes, names, language).written(*program);
}

}  // namespace nightshift::tools
