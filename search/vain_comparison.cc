#include "search/vain_comparison.h"

#include <algorithm>
#include <cstdint>
#include <map>
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

  // Takes what the items of the source are. Two variables in one place are known where they agree.
  void note(const ComprehensionNode& node) {
    for (const ComprehensionNode::Clause& clause : node.clauses) {
      const Kind kind = kind_of_items(*clause.source);
      const auto [known, is_new] = variables_.emplace(clause.slot, kind);
      if (!is_new && known->second != kind) known->second = Kind::kUnknown;
    }
  }

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
      case Comparator::kNotIn:
        return among(left, link);
      default:
        return std::nullopt;
    }
  }

  // A text that is compared with a number is a slip, whatever the other items are; else all have to
  // be in vain.
  std::optional<VainComparison> among(const ExpressionNode& left,
                                      const ComparisonNode::Link& link) const {
    std::vector<const ExpressionNode*> items;
    add_items(*link.operand, items);
    const auto differs = std::ranges::find_if(
        items, [&](const ExpressionNode* item) { return has_vain_text(left, *item); });
    if (differs != items.end()) return told(left, **differs, link.comparator == Comparator::kIn);
    const bool vain = std::holds_alternative<SequenceNode>(link.operand->body) && !items.empty() &&
                      std::ranges::all_of(items, [&](const ExpressionNode* item) {
                        return never_equal(left, *item);
                      });
    if (!vain) return std::nullopt;
    return told(left, *items.front(), link.comparator == Comparator::kIn);
  }

  // Of lists that are written out, joined too.
  static void add_items(const ExpressionNode& node, std::vector<const ExpressionNode*>& items) {
    if (const auto* list = std::get_if<SequenceNode>(&node.body)) {
      for (const NodePointer& item : list->items) items.push_back(item.get());
    } else if (const auto* sum = std::get_if<ArithmeticNode>(&node.body)) {
      add_items(*sum->first, items);
      for (const ArithmeticNode::Step& step : sum->steps) add_items(*step.operand, items);
    }
  }

  bool differ_in_kind(const ExpressionNode& a, const ExpressionNode& b) const {
    const Kind of_a = kind_of(a), of_b = kind_of(b);
    return of_a != Kind::kUnknown && of_b != Kind::kUnknown && of_a != of_b;
  }

  // A text that is written out beside a number, or lists of as many items with such a pair.
  bool has_vain_text(const ExpressionNode& a, const ExpressionNode& b) const {
    const auto* list_a = std::get_if<SequenceNode>(&a.body);
    const auto* list_b = std::get_if<SequenceNode>(&b.body);
    if (list_a != nullptr && list_b != nullptr) {
      return list_a->items.size() == list_b->items.size() &&
             vain_text(*list_a, *list_b) < list_a->items.size();
    }
    const ExpressionNode& text = kind_of(a) == Kind::kText ? a : b;
    return differ_in_kind(a, b) && std::holds_alternative<LiteralNode>(text.body);
  }

  // The position of the first such pair.
  std::size_t vain_text(const SequenceNode& a, const SequenceNode& b) const {
    std::size_t i = 0;
    while (i < a.items.size() && !has_vain_text(*a.items[i], *b.items[i])) ++i;
    return i;
  }

  bool never_equal(const ExpressionNode& a, const ExpressionNode& b) const {
    return differ_in_kind(a, b) || has_vain_text(a, b) || have_no_text_in_common(a, b);
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
    if (const auto* variable = std::get_if<VariableNode>(&node.body)) {
      const auto known = variables_.find(variable->slot);
      return known == variables_.end() ? Kind::kUnknown : known->second;
    }
    if (const auto* logic = std::get_if<LogicNode>(&node.body)) return common(logic->operands);
    if (const auto* choice = std::get_if<ConditionalNode>(&node.body)) {
      const Kind then = kind_of(*choice->then);
      return then == kind_of(*choice->otherwise) ? then : Kind::kUnknown;
    }
    if (const auto* call = std::get_if<CallNode>(&node.body)) return kind_of_call(*call);
    const bool is_number = std::holds_alternative<UnaryNode>(node.body) ||
                           std::holds_alternative<ComparisonNode>(node.body) ||
                           (std::holds_alternative<ArithmeticNode>(node.body) &&
                            kind_of(*std::get<ArithmeticNode>(node.body).first) == Kind::kNumber);
    return is_number ? Kind::kNumber : Kind::kUnknown;
  }

  Kind kind_of_call(const CallNode& call) const {
    switch (call.function) {
      case Function::kRange:
      case Function::kList:
      case Function::kTuple:
        return Kind::kUnknown;
      case Function::kMin:
      case Function::kMax:
        return call.arguments.size() > 1 ? common(call.arguments)
                                         : kind_of_items(*call.arguments.front());
      case Function::kSum:
      case Function::kProd:  // of lists it is a list
        return call.arguments.size() > 1 ? Kind::kUnknown : Kind::kNumber;
      default:
        return Kind::kNumber;
    }
  }

  Kind common(const std::vector<NodePointer>& nodes) const {
    const Kind kind = nodes.empty() ? Kind::kUnknown : kind_of(*nodes.front());
    const bool is_one =
        std::ranges::all_of(nodes, [&](const NodePointer& node) { return kind_of(*node) == kind; });
    return is_one ? kind : Kind::kUnknown;
  }

  // What each item of a list is.
  Kind kind_of_items(const ExpressionNode& source) const {
    if (const auto* list = std::get_if<SequenceNode>(&source.body)) return common(list->items);
    const auto* call = std::get_if<CallNode>(&source.body);
    if (call == nullptr) return Kind::kUnknown;
    if (call->function == Function::kList || call->function == Function::kTuple)
      return kind_of_items(*call->arguments.front());
    return call->function == Function::kRange ? Kind::kNumber : Kind::kUnknown;
  }

  std::string words(const ExpressionNode& node) const {
    if (const Parameter* parameter = parameter_of(node)) {
      const bool texts = parameter->type == ParameterType::kString;
      return "'" + parameter->name + "', whose values are " + (texts ? "texts" : "numbers") +
             " such as " + quoted(parameter->values.front()) + ",";
    }
    const auto* literal = std::get_if<LiteralNode>(&node.body);
    if (literal == nullptr) return kind_of(node) == Kind::kText ? "a text" : "a number";
    const bool text = std::holds_alternative<std::string>(literal->value);
    return (text ? "the text " : "the number ") + quoted(literal->value);
  }

  VainComparison told(const ExpressionNode& a, const ExpressionNode& b, bool equality) const {
    const auto* list_a = std::get_if<SequenceNode>(&a.body);
    const auto* list_b = std::get_if<SequenceNode>(&b.body);
    if (list_a != nullptr && list_b != nullptr) {  // of the pair in them
      const std::size_t i = vain_text(*list_a, *list_b);
      return told(*list_a->items[i], *list_b->items[i], equality);
    }
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
  std::map<std::size_t, Kind> variables_ = {};  // of comprehensions, by their slot
};

}  // namespace

std::optional<VainComparison> vain_comparison(const Expression& expression,
                                              const std::vector<Parameter>& parameters,
                                              const std::set<std::string>& narrowed) {
  std::optional<VainComparison> found;
  if (expression.root() == nullptr) return found;
  Finder finder(parameters, narrowed);
  walk(*expression.root(), [&](const ExpressionNode& node) {
    if (const auto* list = std::get_if<ComprehensionNode>(&node.body)) finder.note(*list);
  });
  walk(*expression.root(), [&](const ExpressionNode& node) {
    const auto* chain = std::get_if<ComparisonNode>(&node.body);
    if (chain != nullptr && !found) found = finder.in(*chain);
  });
  return found;
}

}  // namespace nightshift::search
