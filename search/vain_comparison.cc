#include "search/vain_comparison.h"

#include <algorithm>
#include <cstdint>
#include <variant>

#include "search/expression/expression_tree.h"
#include "search/expression/expression_walk.h"
#include "search/value.h"

namespace nightshift::search {
namespace {

enum class Kind : std::uint8_t { kUnknown, kNumber, kText };

class Finder {
 public:
  explicit Finder(const std::vector<Parameter>& parameters) : parameters_(parameters) {}

  std::string in(const ComparisonNode& chain) const {
    const ExpressionNode* left = chain.first.get();
    for (const ComparisonNode::Link& link : chain.links) {
      if (std::string found = in(*left, link); !found.empty()) return found;
      left = link.operand.get();
    }
    return {};
  }

 private:
  std::string in(const ExpressionNode& left, const ComparisonNode::Link& link) const {
    switch (link.comparator) {
      case Comparator::kEqual:
      case Comparator::kNotEqual:
        if (!differ(kind_of(left), kind_of(*link.operand))) return {};
        return sentence(left, *link.operand, link.comparator == Comparator::kEqual);
      case Comparator::kIn:
      case Comparator::kNotIn: {
        const auto* list = std::get_if<SequenceNode>(&link.operand->body);
        const bool vain = list != nullptr && !list->items.empty() &&
                          std::ranges::all_of(list->items, [&](const NodePointer& item) {
                            return differ(kind_of(left), kind_of(*item));
                          });
        if (!vain) return {};
        return sentence(left, *list->items.front(), link.comparator == Comparator::kIn);
      }
      default:
        return {};
    }
  }

  static bool differ(Kind a, Kind b) {
    return a != Kind::kUnknown && b != Kind::kUnknown && a != b;
  }

  const Parameter* parameter_of(const ExpressionNode& node) const {
    const auto* name = std::get_if<NameNode>(&node.body);
    if (name == nullptr) return nullptr;
    const auto found = std::ranges::find(parameters_, name->name, &Parameter::name);
    return found == parameters_.end() || found->values.empty() ? nullptr : &*found;
  }

  Kind kind_of(const ExpressionNode& node) const {
    if (const Parameter* parameter = parameter_of(node)) {
      return parameter->type == ParameterType::kString ? Kind::kText : Kind::kNumber;
    }
    if (const auto* literal = std::get_if<LiteralNode>(&node.body)) {
      return std::holds_alternative<std::string>(literal->value) ? Kind::kText : Kind::kNumber;
    }
    const bool is_number = std::holds_alternative<UnaryNode>(node.body) ||
                           std::holds_alternative<ComparisonNode>(node.body) ||
                           (std::holds_alternative<ArithmeticNode>(node.body) &&
                            kind_of(*std::get<ArithmeticNode>(node.body).first) == Kind::kNumber);
    return is_number ? Kind::kNumber : Kind::kUnknown;
  }

  std::string words(const ExpressionNode& node) const {
    if (const Parameter* parameter = parameter_of(node)) {
      const bool texts = parameter->type == ParameterType::kString;
      return "'" + parameter->name + "', whose values are " + (texts ? "texts" : "numbers") +
             " such as " + quoted(parameter->values.front()) + ",";
    }
    const auto* literal = std::get_if<LiteralNode>(&node.body);
    if (literal == nullptr) return "a number";
    const bool text = std::holds_alternative<std::string>(literal->value);
    return (text ? "the text " : "the number ") + quoted(literal->value);
  }

  static std::string quoted(const Value& value) {
    const std::string text = to_text(value);
    return std::holds_alternative<std::string>(value) ? "'" + text + "'" : text;
  }

  std::string sentence(const ExpressionNode& a, const ExpressionNode& b, bool equality) const {
    std::string told = "it compares " + words(a) + " with " + words(b);
    if (told.ends_with(',')) told.pop_back();
    return told + ": that is " + (equality ? "never true" : "never false");
  }

  const std::vector<Parameter>& parameters_;
};

}  // namespace

std::string vain_comparison(const Expression& expression,
                            const std::vector<Parameter>& parameters) {
  std::string found;
  if (expression.root() == nullptr) return found;
  const Finder finder(parameters);
  walk(*expression.root(), [&](const ExpressionNode& node) {
    const auto* chain = std::get_if<ComparisonNode>(&node.body);
    if (chain != nullptr && found.empty()) found = finder.in(*chain);
  });
  return found;
}

}  // namespace nightshift::search
