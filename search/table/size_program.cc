#include "search/table/size_program.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "search/expression/expression_tree.h"
#include "search/expression/expression_walk.h"

namespace nightshift::search {
namespace {

constexpr double kExact = 0x1p53;

const char* word_of(ArithmeticOperator op) {
  switch (op) {
    case ArithmeticOperator::kAdd:
      return "+";
    case ArithmeticOperator::kSubtract:
      return "-";
    case ArithmeticOperator::kMultiply:
      return "*";
    case ArithmeticOperator::kDivide:
      return "/";
    case ArithmeticOperator::kFloorDivide:
      return "//";
    case ArithmeticOperator::kModulo:
      return "%";
    case ArithmeticOperator::kBitAnd:
      return "&";
    case ArithmeticOperator::kPower:
    case ArithmeticOperator::kShiftLeft:
    case ArithmeticOperator::kShiftRight:
    case ArithmeticOperator::kBitXor:
    case ArithmeticOperator::kBitOr:
      break;
  }
  return nullptr;
}

const char* word_of(Comparator comparator) {
  switch (comparator) {
    case Comparator::kLess:
      return "<";
    case Comparator::kLessEqual:
      return "<=";
    case Comparator::kGreater:
      return ">";
    case Comparator::kGreaterEqual:
      return ">=";
    case Comparator::kEqual:
      return "==";
    case Comparator::kNotEqual:
      return "!=";
    case Comparator::kIn:
    case Comparator::kNotIn:
      break;
  }
  return nullptr;
}

// Of a function of one argument, and of one of any number of arguments.
const char* word_of(Function function, bool of_many) {
  switch (function) {
    case Function::kMin:
      return of_many ? "min" : nullptr;
    case Function::kMax:
      return of_many ? "max" : nullptr;
    case Function::kAbs:
      return of_many ? nullptr : "abs";
    case Function::kInt:
      return of_many ? nullptr : "int";
    case Function::kCeil:
      return of_many ? nullptr : "ceil";
    case Function::kFloor:
      return of_many ? nullptr : "floor";
    default:
      return nullptr;
  }
}

// What there is no word for.
struct BeyondPrograms {};

class ProgramWriter {
 public:
  ProgramWriter(std::vector<const Value*> values, const std::vector<std::string>& free)
      : values_(std::move(values)), free_(free) {}

  void write(const ExpressionNode& node) {
    if (is_known(node)) {
      number(node);
      return;
    }
    const auto* name = std::get_if<NameNode>(&node.body);
    if (name != nullptr && std::ranges::find(free_, name->name) == free_.end()) {
      throw ExpressionError("unknown name '" + name->name + "'", node.position);
    }
    std::visit([&](const auto& body) { write_body(body); }, node.body);
  }
  const std::string& text() const { return text_; }

 private:
  bool is_known(const ExpressionNode& node) const {
    bool known = true;
    walk(node, [&](const ExpressionNode& one) {
      const auto* name = std::get_if<NameNode>(&one.body);
      if (name != nullptr && values_.at(name->slot) == nullptr) known = false;
    });
    return known;
  }

  void word(std::string_view one) { (text_ += text_.empty() ? "" : ",") += one; }

  void number(const ExpressionNode& node) {
    const Value value = evaluate_tree(node, values_);
    if (std::holds_alternative<std::string>(value)) throw BeyondPrograms();
    const auto* whole = std::get_if<std::int64_t>(&value);
    const double number = as_number(value);
    const bool inexact = whole != nullptr && std::abs(number) > kExact;
    if (inexact || !std::isfinite(number)) throw BeyondPrograms();
    word(program_word(number));
  }

  // Asked before its operands are written, which may be lists.
  static const char* known(const char* own) {
    if (own == nullptr) throw BeyondPrograms();
    return own;
  }

  void write_body(const NameNode& node) { word("$" + node.name); }
  void write_body(const UnaryNode& node) {
    if (node.op == UnaryOperator::kInvert) throw BeyondPrograms();
    write(*node.operand);
    if (node.op != UnaryOperator::kPlus) word(node.op == UnaryOperator::kNot ? "not" : "neg");
  }
  void write_body(const ArithmeticNode& node) {
    write(*node.first);
    for (const auto& step : node.steps) {
      const char* const own = known(word_of(step.op));
      write(*step.operand);
      word(own);
    }
  }
  // a < b <= c is a < b and b <= c.
  void write_body(const ComparisonNode& node) {
    const ExpressionNode* left = node.first.get();
    for (std::size_t i = 0; i < node.links.size(); ++i) {
      const char* const own = known(word_of(node.links[i].comparator));
      write(*left);
      left = node.links[i].operand.get();
      write(*left);
      word(own);
      if (i > 0) word("and");
    }
  }
  void write_body(const LogicNode& node) {
    write(*node.operands.front());
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      write(*node.operands[i]);
      word(node.conjunction ? "and" : "or");
    }
  }
  // A branch that is never taken may ask for anything.
  void write_body(const ConditionalNode& node) {
    if (is_known(*node.condition)) {
      write(truth_of(evaluate_tree(*node.condition, values_)) ? *node.then : *node.otherwise);
      return;
    }
    write(*node.condition);
    write(*node.then);
    write(*node.otherwise);
    word("if");
  }
  void write_body(const CallNode& node) {
    const bool of_many = node.arguments.size() > 1;
    const bool is_itself = node.function == Function::kFloat;
    const char* const own = is_itself ? "" : known(word_of(node.function, of_many));
    write(*node.arguments.front());
    if (!of_many && !is_itself) word(own);
    for (std::size_t i = 1; i < node.arguments.size(); ++i) {
      write(*node.arguments[i]);
      word(own);
    }
  }
  template <class Other>
  void write_body(const Other&) {
    throw BeyondPrograms();
  }

  static bool truth_of(const Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text != nullptr ? !text->empty() : as_number(value) != 0;
  }

  std::vector<const Value*> values_;  // nullptr: free, or unknown
  const std::vector<std::string>& free_;
  std::string text_;
};

}  // namespace

std::string program_word(double number) {
  std::array<char, 40> digits{};
  const bool whole = number == std::floor(number) && std::abs(number) <= kExact;
  const auto end = whole ? std::to_chars(digits.data(), digits.data() + digits.size(),
                                         static_cast<std::int64_t>(number))
                         : std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return {digits.data(), end.ptr};
}

std::optional<std::string> size_program(const Expression& expression,
                                        const Expression::Lookup& known,
                                        const std::vector<std::string>& free) {
  std::vector<const Value*> values;
  for (const std::string& name : expression.names()) {
    const bool is_free = std::ranges::find(free, name) != free.end();
    values.push_back(is_free ? nullptr : known(name));
  }
  ProgramWriter writer(std::move(values), free);
  try {
    writer.write(*expression.root());
  } catch (const BeyondPrograms&) {
    return std::nullopt;
  }
  return writer.text();
}

}  // namespace nightshift::search
