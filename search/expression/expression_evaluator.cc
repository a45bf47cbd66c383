#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "base/whole_range.h"
#include "search/expression/expression_tokens.h"
#include "search/expression/expression_tree.h"
#include "search/expression/operand.h"
#include "search/expression/operand_functions.h"

namespace nightshift::search {

namespace {

using Node = ExpressionNode;
using List = std::shared_ptr<const OperandList>;

class Evaluator {
 public:
  // What becomes of an integer that 64 bits do not hold.
  enum class Beyond : std::uint8_t { kDouble, kRefused };

  explicit Evaluator(std::span<const Value* const> names, std::size_t* spent = nullptr,
                     Beyond beyond = Beyond::kDouble)
      : names_(names), spent_(spent), beyond_(beyond) {}
  ~Evaluator() {
    if (spent_ != nullptr) *spent_ += steps_ + elements_;
  }
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  Operand evaluate(const Node& node) {
    if (++steps_ > kMaxEvaluationSteps) fail_at(node.position, "takes too long to evaluate");
    return std::visit([&](const auto& body) { return evaluate_node(body, node.position); },
                      node.body);
  }

 private:
  Operand evaluate_node(const LiteralNode& node, std::size_t position) {
    if (node.is_beyond) check_whole(0x1p63, position);
    return operand_of(node.value);
  }

  // `result` is what integers came to.
  void check_whole(const Operand& result, std::size_t position) const {
    if (beyond_ == Beyond::kDouble || !std::holds_alternative<double>(result)) return;
    fail_at(position, "a whole number beyond 64 bits; " + std::string(base::kWholeRange) +
                          ". With a point, as in 2.0**64, a double is meant");
  }

  static bool is_whole(const Operand& operand) {
    return std::holds_alternative<bool>(operand) || std::holds_alternative<std::int64_t>(operand);
  }

  Operand computed(ArithmeticOperator op, const Operand& a, const Operand& b,
                   std::size_t position) {
    Operand result = arithmetic(op, a, b, position, elements_);
    const bool below_one = op == ArithmeticOperator::kPower && is_whole(b) &&
                           std::get<std::int64_t>(number_of(b, position)) < 0;
    if (op != ArithmeticOperator::kDivide && !below_one && is_whole(a) && is_whole(b)) {
      check_whole(result, position);
    }
    return result;
  }

  Operand evaluate_node(const NameNode& node, std::size_t position) {
    const Value* value = node.slot < names_.size() ? names_[node.slot] : nullptr;
    if (value == nullptr) fail_at(position, "unknown name '" + node.name + "'");
    return operand_of(*value);
  }

  Operand evaluate_node(const VariableNode& node, std::size_t) { return variables_.at(node.slot); }

  Operand evaluate_node(const UnaryNode& node, std::size_t position) {
    const Operand operand = evaluate(*node.operand);
    switch (node.op) {
      case UnaryOperator::kNot:
        return !truth_of(operand);
      case UnaryOperator::kMinus:
        return unary(negated(operand, position), operand, position);
      case UnaryOperator::kInvert:
        return inverted(operand, position);
      case UnaryOperator::kPlus:
        break;
    }
    return std::visit([](auto n) { return Operand(n); }, number_of(operand, position));
  }

  Operand unary(Operand result, const Operand& operand, std::size_t position) const {
    if (is_whole(operand)) check_whole(result, position);
    return result;
  }

  Operand evaluate_node(const ArithmeticNode& node, std::size_t) {
    Operand result = evaluate(*node.first);
    for (const auto& step : node.steps) {
      result = computed(step.op, result, evaluate(*step.operand), step.position);
    }
    return result;
  }

  Operand evaluate_node(const ComparisonNode& node, std::size_t) {
    Operand left = evaluate(*node.first);
    for (const auto& link : node.links) {
      const bool is_last = &link == &node.links.back();
      if (is_last && generator_of(*link.operand) != nullptr) {
        if (const auto has = is_generated(link, left)) return *has;
      }
      Operand right = evaluate(*link.operand);
      if (!compares(link.comparator, left, right, link.position, steps_)) return false;
      left = std::move(right);
    }
    return true;
  }

  Operand evaluate_node(const LogicNode& node, std::size_t) {
    Operand result = evaluate(*node.operands.front());
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      if (truth_of(result) != node.conjunction) return result;
      result = evaluate(*node.operands[i]);
    }
    return result;
  }

  Operand evaluate_node(const ConditionalNode& node, std::size_t) {
    return evaluate(truth_of(evaluate(*node.condition)) ? *node.then : *node.otherwise);
  }

  Operand evaluate_node(const SequenceNode& node, std::size_t position) {
    OperandList list{{}, node.kind};
    list.items.reserve(node.items.size());
    for (const NodePointer& item : node.items) append(list, evaluate(*item), position);
    return std::make_shared<const OperandList>(std::move(list));
  }

  Operand evaluate_node(const CallNode& node, std::size_t position) {
    switch (node.function) {
      case Function::kMin:
        return extreme(node, position, Comparator::kLess);
      case Function::kMax:
        return extreme(node, position, Comparator::kGreater);
      case Function::kRange:
        return range(node, position);
      case Function::kList:
        return list_of(evaluate(*node.arguments.front()), SequenceKind::kList, position);
      case Function::kTuple:
        return list_of(evaluate(*node.arguments.front()), SequenceKind::kTuple, position);
      case Function::kSum:
      case Function::kProd:
        return total(node, position);
      case Function::kAny:
      case Function::kAll:
        return quantified(node);
      case Function::kGcd:
      case Function::kLcm:
        return divisors(node);
      case Function::kLen:
        return length_of(evaluate(*node.arguments.front()), position);
      case Function::kBool:
        return truth_of(evaluate(*node.arguments.front()));
      case Function::kRound:
        if (node.arguments.size() == 2) return rounded(node);
        [[fallthrough]];
      default:
        return apply(node.function, evaluate(*node.arguments.front()), position);
    }
  }

  Operand list_of(const Operand& operand, SequenceKind kind, std::size_t position) {
    const List* list = std::get_if<List>(&operand);
    if (list == nullptr) fail_at(position, "list() needs a list or a range()");
    if ((*list)->kind == kind) return operand;
    elements_ += (*list)->items.size();
    if (elements_ > kMaxElementsTogether) fail_too_long(position);
    return std::make_shared<const OperandList>(OperandList{(*list)->items, kind});
  }

  Operand extreme(const CallNode& node, std::size_t position, Comparator better) {
    std::vector<Operand> arguments;
    for (const NodePointer& argument : node.arguments) arguments.push_back(evaluate(*argument));
    const List* list = arguments.size() == 1 ? std::get_if<List>(&arguments.front()) : nullptr;
    const std::vector<Operand>& items = list ? (*list)->items : arguments;
    if (items.empty()) fail_at(position, "min() and max() need at least one value");
    Operand best = items.front();
    for (const Operand& item : items) {
      if (compares(better, item, best, position, steps_)) best = item;
    }
    return best;
  }

  List list_argument(const CallNode& node, std::size_t position) {
    const Operand operand = evaluate(*node.arguments.front());
    if (const List* list = std::get_if<List>(&operand)) return *list;
    fail_at(position, "expected a list or a range()");
  }

  Operand total(const CallNode& node, std::size_t position) {
    const bool sum = node.function == Function::kSum;
    const List list = list_argument(node, position);
    Operand result = std::int64_t{sum ? 0 : 1};
    if (node.arguments.size() == 2) result = evaluate(*node.arguments[1]);
    const auto op = sum ? ArithmeticOperator::kAdd : ArithmeticOperator::kMultiply;
    for (const Operand& item : list->items) {
      ++steps_;
      result = computed(op, result, item, position);
    }
    return result;
  }

  // Of a generator nothing behind the item that decides is evaluated, as in Python.
  Operand quantified(const CallNode& node) {
    const bool all = node.function == Function::kAll;
    bool result = all;
    each_item(*node.arguments.front(), "expected a list or a range()", [&](const Operand& item) {
      result = truth_of(item);
      return result == all;
    });
    return result;
  }

  Operand divisors(const CallNode& node) {
    const bool greatest = node.function == Function::kGcd;
    Operand result = std::int64_t{greatest ? 0 : 1};
    for (const std::int64_t whole : whole_arguments(node)) {
      const auto* known = std::get_if<std::int64_t>(&result);
      if (known == nullptr) fail_at(node.arguments.front()->position, "lcm() beyond 64 bits");
      result = greatest ? greatest_divisor(*known, whole) : least_multiple(*known, whole);
    }
    return result;
  }

  Operand rounded(const CallNode& node) {
    const Operand number = evaluate(*node.arguments[0]);
    const Operand digits = evaluate(*node.arguments[1]);
    return rounded_to(number, whole_number(digits, node.arguments[1]->position),
                      node.arguments[0]->position);
  }

  static std::int64_t whole_number(const Operand& operand, std::size_t position) {
    const Number number = number_of(operand, position);
    if (const auto* whole = std::get_if<std::int64_t>(&number)) return *whole;
    fail_at(position, "range(), gcd(), lcm() and the digits of round() are whole numbers");
  }

  // All are evaluated before one is refused, as in Python.
  std::vector<std::int64_t> whole_arguments(const CallNode& node) {
    std::vector<Operand> operands;
    for (const NodePointer& argument : node.arguments) operands.push_back(evaluate(*argument));
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      numbers.push_back(whole_number(operands[i], node.arguments[i]->position));
    }
    return numbers;
  }

  Operand range(const CallNode& node, std::size_t position) {
    const std::vector<std::int64_t> numbers = whole_arguments(node);
    const bool one = numbers.size() == 1;
    const std::int64_t first = one ? 0 : numbers[0];
    const std::int64_t end = numbers[one ? 0 : 1];
    const std::int64_t step = numbers.size() == 3 ? numbers[2] : 1;
    if (step == 0) fail_at(position, "the step of range() is 0");
    OperandList list{{}, SequenceKind::kRange};
    for (std::int64_t i = first; step > 0 ? i < end : i > end;) {
      append(list, i, position);
      if (__builtin_add_overflow(i, step, &i)) break;
    }
    return std::make_shared<const OperandList>(std::move(list));
  }

  static const ComprehensionNode* generator_of(const Node& node) {
    const auto* body = std::get_if<ComprehensionNode>(&node.body);
    return body != nullptr && body->kind == SequenceKind::kGenerator ? body : nullptr;
  }

  // Of `in` and `not in`: they look no further than the first equal item. nullopt: another operator.
  std::optional<bool> is_generated(const ComparisonNode::Link& link, const Operand& left) {
    const bool is_in = link.comparator == Comparator::kIn;
    if (!is_in && link.comparator != Comparator::kNotIn) return std::nullopt;
    bool found = false;
    each_item(*link.operand, "", [&](const Operand& item) {
      found = compares(Comparator::kEqual, left, item, link.position, steps_);
      return !found;
    });
    return found == is_in;
  }

  Operand evaluate_node(const ComprehensionNode& node, std::size_t position) {
    OperandList list{{}, node.kind};
    run_clause(node, 0, [&](Operand item) {
      append(list, std::move(item), position);
      return true;
    });
    return std::make_shared<const OperandList>(std::move(list));
  }

  // False where `visit` was: it wants no more items.
  using Visit = std::function<bool(Operand)>;

  // The items of a sequence; those of a generator one by one, each when it is asked for.
  bool each_item(const Node& source, const char* complaint, const Visit& visit) {
    if (const ComprehensionNode* generator = generator_of(source)) {
      if (++steps_ > kMaxEvaluationSteps) fail_at(source.position, "takes too long to evaluate");
      return run_clause(*generator, 0, [&](Operand item) {
        if (++elements_ > kMaxElementsTogether) fail_too_long(source.position);
        return visit(std::move(item));
      });
    }
    const Operand operand = evaluate(source);
    const List* list = std::get_if<List>(&operand);
    if (list == nullptr) fail_at(source.position, complaint);
    return std::ranges::all_of((*list)->items, visit);
  }

  bool run_clause(const ComprehensionNode& node, std::size_t depth, const Visit& visit) {
    if (depth == node.clauses.size()) return visit(evaluate(*node.item));
    const ComprehensionNode::Clause& clause = node.clauses[depth];
    const bool is_lazy = generator_of(*clause.source) != nullptr;
    const auto run = [&](const Operand& item) {
      // A generator that goes on afterwards has its variables in the same places.
      std::vector<Operand> kept;
      if (is_lazy) kept = variables_;
      variables_.resize(clause.slot);
      variables_.push_back(item);
      const bool wanted = std::ranges::all_of(clause.conditions, [&](const NodePointer& condition) {
        return truth_of(evaluate(*condition));
      });
      const bool goes_on = !wanted || run_clause(node, depth + 1, visit);
      if (is_lazy) variables_ = std::move(kept);
      return goes_on;
    };
    const bool goes_on = each_item(*clause.source, "expected a list or a range() after 'in'", run);
    variables_.resize(std::min(variables_.size(), clause.slot));
    return goes_on;
  }

  void append(OperandList& list, Operand item, std::size_t position) {
    if (list.items.size() == kMaxListElements || ++elements_ > kMaxElementsTogether) {
      fail_too_long(position);
    }
    list.items.push_back(std::move(item));
  }

  std::span<const Value* const> names_;
  std::size_t* spent_;
  Beyond beyond_;
  std::vector<Operand> variables_;  // of the comprehensions that are running, outermost first
  std::size_t steps_ = 0;
  std::size_t elements_ = 0;
};

Value value_of(const Operand& operand, std::size_t position) {
  if (const bool* flag = std::get_if<bool>(&operand)) return *flag;
  if (const auto* whole = std::get_if<std::int64_t>(&operand)) return *whole;
  if (const auto* number = std::get_if<double>(&operand)) return *number;
  if (const auto* text = std::get_if<std::string_view>(&operand)) return std::string(*text);
  fail_at(position, "expected one value, found a list");
}

}  // namespace

Value evaluate_tree(const Node& root, std::span<const Value* const> names, std::size_t* steps) {
  return value_of(Evaluator(names, steps).evaluate(root), root.position);
}

bool tree_holds(const Node& root, std::span<const Value* const> names, std::size_t* steps) {
  return truth_of(Evaluator(names, steps).evaluate(root));
}

std::vector<Value> evaluate_list(const Node& root, std::span<const Value* const> names) {
  const Operand operand = Evaluator(names).evaluate(root);
  const List* list = std::get_if<List>(&operand);
  const auto may_have_been_whole = [](const Operand& item) {
    const double* number = std::get_if<double>(&item);
    return number != nullptr && std::floor(*number) == *number;
  };
  if (list != nullptr && std::ranges::any_of((*list)->items, may_have_been_whole)) {
    // Conditions may go beyond 64 bits, values may not: only such a list is looked at again.
    Evaluator(names, nullptr, Evaluator::Beyond::kRefused).evaluate(root);
  }
  if (list == nullptr) fail_at(root.position, "expected a list, a tuple or a range()");
  std::vector<Value> values;
  values.reserve((*list)->items.size());
  for (const Operand& item : (*list)->items) values.push_back(value_of(item, root.position));
  return values;
}

}  // namespace nightshift::search
