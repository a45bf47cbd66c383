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
using Texts = std::vector<std::string>;

std::string quoted(const Value& value) {
  const std::string text = to_text(value);
  return std::holds_alternative<std::string>(value) ? "'" + text + "'" : text;
}

class Finder {
 public:
  Finder(const std::vector<Parameter>& parameters, const std::set<std::string>& narrowed)
      : parameters_(parameters), narrowed_(narrowed) {}

  std::optional<VainComparison> in(const ComparisonNode& chain) const {
    const ExpressionNode* left = chain.first.get();
    for (const ComparisonNode::Link& link : chain.links) {
      if (auto found = in(*left, link)) return found;
      left = link.operand.get();
    }
    return std::nullopt;
  }

 private:
  std::optional<VainComparison> in(const ExpressionNode& left,
                                   const ComparisonNode::Link& link) const {
    switch (link.comparator) {
      case Comparator::kEqual:
      case Comparator::kNotEqual:
        if (!never_equal(left, *link.operand)) return std::nullopt;
        return told(left, *link.operand, link.comparator == Comparator::kEqual);
      case Comparator::kIn:
      case Comparator::kNotIn: {
        const auto* list = std::get_if<SequenceNode>(&link.operand->body);
        const bool vain = list != nullptr && !list->items.empty() &&
                          std::ranges::all_of(list->items, [&](const NodePointer& item) {
                            return never_equal(left, *item);
                          });
        if (!vain) return std::nullopt;
        return told(left, *list->items.front(), link.comparator == Comparator::kIn);
      }
      default:
        return std::nullopt;
    }
  }

  bool never_equal(const ExpressionNode& a, const ExpressionNode& b) const {
    const Kind of_a = kind_of(a), of_b = kind_of(b);
    if (of_a != Kind::kUnknown && of_b != Kind::kUnknown && of_a != of_b) return true;
    return have_no_text_in_common(a, b);
  }

  bool have_no_text_in_common(const ExpressionNode& a, const ExpressionNode& b) const {
    if ((parameter_of(a) == nullptr) == (parameter_of(b) == nullptr)) return false;
    const std::optional<Texts> of_a = texts_of(a), of_b = texts_of(b);
    return of_a && of_b && std::ranges::none_of(*of_a, [&](const std::string& text) {
             return std::ranges::find(*of_b, text) != of_b->end();
           });
  }

  // What a node may be, where that is known and each is a text.
  std::optional<Texts> texts_of(const ExpressionNode& node) const {
    if (kind_of(node) != Kind::kText) return std::nullopt;
    const Parameter* parameter = parameter_of(node);
    if (parameter == nullptr) {
      const auto* literal = std::get_if<LiteralNode>(&node.body);
      return literal ? std::optional(Texts{to_text(literal->value)}) : std::nullopt;
    }
    if (narrowed_.contains(parameter->name)) return std::nullopt;
    Texts texts;
    for (const Value& value : parameter->values) texts.push_back(to_text(value));
    return texts;
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

  VainComparison told(const ExpressionNode& a, const ExpressionNode& b, bool equality) const {
    VainComparison found{"it compares " + words(a) + " with " + words(b)};
    if (found.words.ends_with(',')) found.words.pop_back();
    const bool a_is_parameter = parameter_of(a) != nullptr;
    if (have_no_text_in_common(a, b)) {
      found.text = texts_of(a_is_parameter ? b : a)->front();
      found.values = *texts_of(a_is_parameter ? a : b);
      found.words += ", where '" + found.text + "' is no value";
    }
    found.words += std::string(": that is ") + (equality ? "never true" : "never false");
    return found;
  }

  const std::vector<Parameter>& parameters_;
  const std::set<std::string>& narrowed_;
};

}  // namespace

std::optional<VainComparison> vain_comparison(const Expression& expression,
                                              const std::vector<Parameter>& parameters,
                                              const std::set<std::string>& narrowed) {
  std::optional<VainComparison> found;
  if (expression.root() == nullptr) return found;
  const Finder finder(parameters, narrowed);
  walk(*expression.root(), [&](const ExpressionNode& node) {
    const auto* chain = std::get_if<ComparisonNode>(&node.body);
    if (chain != nullptr && !found) found = finder.in(*chain);
  });
  return found;
}

}  // namespace nightshift::search
