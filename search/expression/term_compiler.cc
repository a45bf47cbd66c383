#include <algorithm>
#include <optional>

#include "search/expression/expression_tokens.h"
#include "search/expression/expression_walk.h"
#include "search/expression/term_graph.h"

namespace nightshift::search {

namespace {

using Node = Expression::Node;
using Kind = Term::Kind;

// Terms are evaluated by recursion; a chain of a thousand subtractions is left to the interpreter,
// which has a flat node for it.
constexpr std::uint32_t kMaxDepth = 400;

// The tree of an expression as terms. What could be a list, or needs one, has no term: the
// smallest part around it that is sure to be a single value becomes an opaque one.
class TermCompiler {
 public:
  TermCompiler(const Expression& expression, TermGraph& graph) : graph_(graph) {
    for (const std::string& name : expression.names()) {
      positions_.push_back(position_of(name, expression));
    }
  }

  TermId run(const Node& root) {
    const std::optional<TermId> term = compile(root);
    return term ? *term : opaque(root, /*truth=*/true);
  }

 private:
  using Result = std::optional<TermId>;  // nullopt: no term

  std::size_t position_of(const std::string& name, const Expression& expression) const {
    const std::vector<Parameter>& parameters = graph_.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].name == name) return i;
    }
    std::string known;
    for (const Parameter& parameter : parameters) {
      known += (known.empty() ? "" : ", ") + parameter.name;
    }
    throw SpaceError("the expression '" + expression.text() + "' uses '" + name +
                     "', which is no parameter; there are " + known);
  }

  Result compile(const Node& node) {
    Result term = std::visit([&](const auto& body) { return compile_node(body, node); }, node.body);
    if (!term || graph_[*term].depth <= kMaxDepth) return term;
    const bool single = std::holds_alternative<ArithmeticNode>(node.body) ||
                        std::holds_alternative<ComparisonNode>(node.body) ||
                        std::holds_alternative<UnaryNode>(node.body);
    return single ? Result(opaque(node, false)) : std::nullopt;
  }

  TermId opaque(const Node& node, bool truth) {
    Term term{.kind = Kind::kOpaque, .op = static_cast<std::uint8_t>(truth), .node = &node};
    walk(node, [&](const Node& part) {
      const auto* name = std::get_if<NameNode>(&part.body);
      if (name == nullptr) return;
      for (const std::size_t slot : term.slots) {
        if (slot == name->slot) return;
      }
      term.slots.push_back(name->slot);
      term.operands.push_back(graph_.parameter(positions_[name->slot]));
    });
    return graph_.add(std::move(term));
  }

  // The terms of `nodes`, or nothing where one has none.
  template <class Nodes>
  std::optional<std::vector<TermId>> all(const Nodes& nodes) {
    std::vector<TermId> terms;
    for (const NodePointer& node : nodes) {
      const Result term = compile(*node);
      if (!term) return std::nullopt;
      terms.push_back(*term);
    }
    return terms;
  }

  Result compile_node(const LiteralNode& literal, const Node&) {
    return graph_.constant(graph_.table().scalar_of(literal.value));
  }
  Result compile_node(const NameNode& name, const Node&) {
    return graph_.parameter(positions_[name.slot]);
  }
  Result compile_node(const VariableNode&, const Node&) { return std::nullopt; }
  Result compile_node(const SequenceNode&, const Node&) { return std::nullopt; }
  Result compile_node(const ComprehensionNode&, const Node&) { return std::nullopt; }

  Result compile_node(const UnaryNode& unary, const Node& node) {
    const Result operand = compile(*unary.operand);
    if (!operand) return opaque(node, false);
    switch (unary.op) {
      case UnaryOperator::kNot:
        return graph_.complement_of(*operand);
      case UnaryOperator::kMinus:
        return graph_.negation_of(*operand);
      case UnaryOperator::kInvert:
        return graph_.inversion_of(*operand);
      case UnaryOperator::kPlus:
        break;
    }
    return graph_.add({.kind = Kind::kNumber, .operands = {*operand}});
  }

  Result compile_node(const ArithmeticNode& chain, const Node& node) {
    Result result = compile(*chain.first);
    for (const auto& step : chain.steps) {
      const Result operand = compile(*step.operand);
      if (!result || !operand) return joins(chain) ? std::nullopt : Result(opaque(node, false));
      result = graph_.arithmetic_of(step.op, *result, *operand);
      if (graph_[*result].depth > kMaxDepth) return opaque(node, false);
    }
    return result;
  }

  // Whether the result may be a list, as of nothing but additions.
  static bool joins(const ArithmeticNode& chain) {
    return std::ranges::all_of(chain.steps, [](const ArithmeticNode::Step& step) {
      return step.op == ArithmeticOperator::kAdd;
    });
  }

  Result compile_node(const ComparisonNode& chain, const Node& node) {
    std::vector<TermId> links;
    const Node* left = chain.first.get();
    for (const auto& link : chain.links) {
      const Result term = compile_link(*left, link);
      if (!term) return opaque(node, false);
      links.push_back(*term);
      left = link.operand.get();
    }
    if (links.size() == 1) return links.front();
    return graph_.add({.kind = Kind::kAnd, .operands = std::move(links)});
  }

  Result compile_link(const Node& left, const ComparisonNode::Link& link) {
    const Result a = compile(left);
    if (!a) return std::nullopt;
    if (link.comparator == Comparator::kIn || link.comparator == Comparator::kNotIn) {
      const auto* sequence = std::get_if<SequenceNode>(&link.operand->body);
      if (sequence == nullptr) return std::nullopt;
      const auto items = all(sequence->items);
      if (!items) return std::nullopt;
      Term term{.kind = Kind::kOneOf, .operands = {*a}};
      term.operands.insert(term.operands.end(), items->begin(), items->end());
      const TermId one_of = graph_.add(std::move(term));
      return link.comparator == Comparator::kIn ? one_of : graph_.complement_of(one_of);
    }
    const Result b = compile(*link.operand);
    if (!b) return std::nullopt;
    return graph_.add({.kind = Kind::kCompare,
                       .op = static_cast<std::uint8_t>(link.comparator),
                       .operands = {*a, *b}});
  }

  Result compile_node(const LogicNode& logic, const Node&) {
    auto operands = all(logic.operands);
    if (!operands) return std::nullopt;
    return graph_.add(
        {.kind = logic.conjunction ? Kind::kAnd : Kind::kOr, .operands = std::move(*operands)});
  }

  Result compile_node(const ConditionalNode& choice, const Node&) {
    const Result condition = compile(*choice.condition);
    const Result then = compile(*choice.then);
    const Result otherwise = compile(*choice.otherwise);
    if (!condition || !then || !otherwise) return std::nullopt;
    return graph_.add({.kind = Kind::kConditional, .operands = {*condition, *then, *otherwise}});
  }

  Result compile_node(const CallNode& call, const Node& node) {
    switch (call.function) {
      case Function::kRange:
      case Function::kList:
      case Function::kTuple:
        return std::nullopt;
      case Function::kMin:
      case Function::kMax:
        return extreme(call);
      case Function::kSum:
      case Function::kProd:
        return total(call, node);
      case Function::kBool: {
        const Result argument = compile(*call.arguments.front());
        if (!argument) return opaque(node, false);
        return graph_.complement_of(graph_.complement_of(*argument));
      }
      case Function::kAny:
      case Function::kAll:
      case Function::kLen:
      case Function::kGcd:
      case Function::kLcm:
        return opaque(node, false);
      default:
        break;
    }
    if (call.arguments.size() != 1) return opaque(node, false);  // round() to digits
    const Result argument = compile(*call.arguments.front());
    if (!argument) return opaque(node, false);
    return graph_.add({.kind = Kind::kApply,
                       .op = static_cast<std::uint8_t>(call.function),
                       .operands = {*argument}});
  }

  Result extreme(const CallNode& call) {
    const auto* sequence = std::get_if<SequenceNode>(&call.arguments.front()->body);
    const bool one = call.arguments.size() == 1;
    auto items = one && sequence != nullptr ? all(sequence->items) : all(call.arguments);
    // One argument that is no list, or an empty list, is the interpreter's to refuse.
    if (!items || items->empty() || (one && sequence == nullptr)) return std::nullopt;
    return graph_.add({.kind = call.function == Function::kMin ? Kind::kMinimum : Kind::kMaximum,
                       .operands = std::move(*items)});
  }

  // Of items that are written out, the additions or products that they stand for.
  Result total(const CallNode& call, const Node& node) {
    if (call.arguments.size() != 1) return std::nullopt;  // of lists, added to another one
    const auto* sequence = std::get_if<SequenceNode>(&call.arguments.front()->body);
    if (sequence == nullptr || sequence->items.size() > kMaxDepth) return opaque(node, false);
    const auto items = all(sequence->items);
    if (!items) return opaque(node, false);
    const bool sum = call.function == Function::kSum;
    TermId result = graph_.constant(Scalar::integer(sum ? 0 : 1));
    for (const TermId item : *items) {
      const auto op = sum ? ArithmeticOperator::kAdd : ArithmeticOperator::kMultiply;
      result = graph_.arithmetic_of(op, result, item);
    }
    return result;
  }

  TermGraph& graph_;
  std::vector<std::size_t> positions_;  // of the expression's names
};

}  // namespace

TermId compile_term(const Expression& expression, TermGraph& graph) {
  TermCompiler compiler(expression, graph);
  if (expression.root() == nullptr) throw ExpressionError("the expression is empty", 0);
  return compiler.run(*expression.root());
}

Scalar evaluate_opaque(const Term& term, std::span<const Scalar> operands, const ScalarTable& table,
                       std::size_t& steps) {
  std::vector<Value> values;
  values.reserve(operands.size());
  std::size_t slots = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].is_value()) return operands[i];
    values.push_back(table.value_of(operands[i]));
    slots = std::max(slots, term.slots[i] + 1);
  }
  std::vector<const Value*> names(slots);
  for (std::size_t i = 0; i < values.size(); ++i) names[term.slots[i]] = &values[i];
  try {
    if (term.op != 0) return Scalar::boolean(tree_holds(*term.node, names, &steps));
    return table.scalar_of(evaluate_tree(*term.node, names, &steps));
  } catch (const DivisionByZero&) {
    return Scalar::division_by_zero();
  } catch (const ExpressionError&) {
    return Scalar::failure();
  }
}

}  // namespace nightshift::search
