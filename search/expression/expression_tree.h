#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "search/expression/expression_error.h"
#include "search/expression/expression_functions.h"
#include "search/value.h"

namespace nightshift::search {

struct ExpressionNode;
using NodePointer = std::unique_ptr<const ExpressionNode>;

struct LiteralNode {
  Value value;
  bool is_beyond = false;  // a whole number beyond 64 bits, of which `value` is the double
};
// A parameter: position in Expression::names(), which the parser fills in at its end.
struct NameNode {
  std::string name;
  std::size_t slot = 0;
};
// The variable of a comprehension: position among the variables around it, outermost first.
struct VariableNode {
  std::size_t slot = 0;
};

enum class UnaryOperator : std::uint8_t { kPlus, kMinus, kNot, kInvert };
struct UnaryNode {
  UnaryOperator op;
  NodePointer operand;
};

enum class ArithmeticOperator : std::uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kFloorDivide,
  kModulo,
  kPower,
  kShiftLeft,
  kShiftRight,
  kBitAnd,
  kBitXor,
  kBitOr
};
// first op1 operand1 op2 operand2 ..., from left to right. Flat rather than nested, so that the
// depth of the tree is the nesting of the text and a long sum needs no deep stack.
struct ArithmeticNode {
  struct Step {
    ArithmeticOperator op;
    std::size_t position;
    NodePointer operand;
  };
  NodePointer first;
  std::vector<Step> steps;
};

enum class Comparator : std::uint8_t {
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kIn,
  kNotIn
};
// a < b <= c: holds where every link does.
struct ComparisonNode {
  struct Link {
    Comparator comparator;
    std::size_t position;
    NodePointer operand;
  };
  NodePointer first;
  std::vector<Link> links;
};

struct LogicNode {
  bool conjunction;  // and; otherwise or
  std::vector<NodePointer> operands;
};
struct ConditionalNode {
  NodePointer condition, then, otherwise;
};
// Sequences of equal items are equal where they are of one kind: (1,) is not [1].
enum class SequenceKind : std::uint8_t { kList, kTuple, kSet, kRange, kGenerator };
struct SequenceNode {
  std::vector<NodePointer> items;
  SequenceKind kind = SequenceKind::kList;
};

struct CallNode {
  Function function;
  std::vector<NodePointer> arguments;
};

// [item for v1 in source1 if condition for v2 in source2 ...]
struct ComprehensionNode {
  struct Clause {
    std::size_t slot;
    NodePointer source;
    std::vector<NodePointer> conditions;
  };
  NodePointer item;
  std::vector<Clause> clauses;
  SequenceKind kind = SequenceKind::kList;
};

struct ExpressionNode {
  std::size_t position = 0;
  std::variant<LiteralNode, NameNode, VariableNode, UnaryNode, ArithmeticNode, ComparisonNode,
               LogicNode, ConditionalNode, SequenceNode, CallNode, ComprehensionNode>
      body;
};

// What parse_expression found.
struct ParsedExpression {
  NodePointer root;
  std::set<std::string, std::less<>> names;
};

// The grammar is in expression_parser.cc. Throws ExpressionError.
ParsedExpression parse_expression(std::string_view text);

// The most elements that one list may have, and all lists of one evaluation together.
constexpr std::size_t kMaxListElements = 1'000'000;
constexpr std::size_t kMaxElementsTogether = 3 * kMaxListElements;
// The most nodes that one evaluation may visit; nested comprehensions would go on for hours.
constexpr std::size_t kMaxEvaluationSteps = 5'000'000;

// `steps`, where given, grows by what the evaluation took, also where it throws.
Value evaluate_tree(const ExpressionNode& root, std::span<const Value* const> names,
                    std::size_t* steps = nullptr);
bool tree_holds(const ExpressionNode& root, std::span<const Value* const> names,
                std::size_t* steps = nullptr);
std::vector<Value> evaluate_list(const ExpressionNode& root, std::span<const Value* const> names);

}  // namespace nightshift::search
