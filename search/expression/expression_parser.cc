#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "search/expression/expression_nodes.h"
#include "search/expression/token_cursor.h"

namespace nightshift::search {

namespace {

using Node = ExpressionNode;

constexpr std::array<std::string_view, 9> kKeywords = {"and", "or",   "not", "in",    "is",
                                                       "if",  "else", "for", "lambda"};

// Binary operators, loosest first.
struct BinaryOperator {
  std::string_view symbol;
  ArithmeticOperator op;
  std::size_t level;
};
constexpr std::array kBinaryOperators = {BinaryOperator{"|", ArithmeticOperator::kBitOr, 0},
                                         BinaryOperator{"^", ArithmeticOperator::kBitXor, 1},
                                         BinaryOperator{"&", ArithmeticOperator::kBitAnd, 2},
                                         BinaryOperator{"<<", ArithmeticOperator::kShiftLeft, 3},
                                         BinaryOperator{">>", ArithmeticOperator::kShiftRight, 3},
                                         BinaryOperator{"+", ArithmeticOperator::kAdd, 4},
                                         BinaryOperator{"-", ArithmeticOperator::kSubtract, 4},
                                         BinaryOperator{"*", ArithmeticOperator::kMultiply, 5},
                                         BinaryOperator{"/", ArithmeticOperator::kDivide, 5},
                                         BinaryOperator{"//", ArithmeticOperator::kFloorDivide, 5},
                                         BinaryOperator{"%", ArithmeticOperator::kModulo, 5}};
constexpr std::size_t kLevels = 6;

// Recursive descent, one function a rule, loosest first:
//
//   expression  := disjunction ['if' disjunction 'else' expression]
//   disjunction := conjunction {'or' conjunction}
//   conjunction := inversion {'and' inversion}
//   inversion   := 'not' inversion | comparison
//   comparison  := binary {('<' | '<=' | '>' | '>=' | '==' | '!=') binary
//                | ('in' | 'not' 'in') (binary | '{' items '}')}
//   binary      := factor and the levels of kBinaryOperators, each from left to right
//   factor      := ('+' | '-' | '~') factor | power
//   power       := primary ['**' factor]
//   primary     := literal | name | name '[' text ']' | ['math' '.'] function '(' items ')'
//                | 'math' '.' ('pi' | 'e' | 'inf')
//                | '(' items ')' | '[' items ']'
//   items       := [expression {',' expression} [',']] | expression clause {clause}
//   clause      := 'for' name 'in' disjunction {'if' disjunction}
class Parser : private TokenCursor {
 public:
  explicit Parser(std::string_view text) : TokenCursor(text) {}

  ParsedExpression run() {
    ParsedExpression result;
    result.root = expression();
    if (is_symbol("=")) fail_at(here().position, "found '=', write '==' to compare");
    if (here().kind != Token::Kind::kEnd) fail("an operator or the end");
    number_names(result.names);
    return result;
  }

 private:
  // Counts the nesting; its own stack is what hostile text could otherwise exhaust.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMaxExpressionDepth) {
        fail_at(parser_.here().position,
                "nested more than " + std::to_string(kMaxExpressionDepth) + " levels deep");
      }
    }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    Nesting(Nesting&&) = delete;
    Nesting& operator=(Nesting&&) = delete;

   private:
    Parser& parser_;
  };

  // --- Rules ---

  NodePointer expression() {
    const Nesting nesting(*this);
    const std::size_t position = here().position;
    NodePointer then = disjunction();
    if (!skip_word("if")) return then;
    NodePointer condition = disjunction();
    expect_word("else");
    NodePointer otherwise = expression();
    return make_node(position,
                     ConditionalNode{std::move(condition), std::move(then), std::move(otherwise)});
  }

  NodePointer disjunction() { return logic("or", false, &Parser::conjunction); }
  NodePointer conjunction() { return logic("and", true, &Parser::inversion); }

  NodePointer logic(std::string_view word, bool is_conjunction, NodePointer (Parser::*operand)()) {
    const std::size_t position = here().position;
    NodePointer first = (this->*operand)();
    if (!is_word(word)) return first;
    LogicNode node{is_conjunction, {}};
    node.operands.push_back(std::move(first));
    while (skip_word(word)) node.operands.push_back((this->*operand)());
    return make_node(position, std::move(node));
  }

  NodePointer inversion() {
    const std::size_t position = here().position;
    if (!skip_word("not")) return comparison();
    const Nesting nesting(*this);
    return make_node(position, UnaryNode{UnaryOperator::kNot, inversion()});
  }

  NodePointer comparison() {
    const std::size_t position = here().position;
    ComparisonNode node{binary(), {}};
    for (;;) {
      const std::size_t at = here().position;
      const std::optional<Comparator> comparator = skip_comparator();
      if (!comparator) break;
      const bool membership = *comparator == Comparator::kIn || *comparator == Comparator::kNotIn;
      node.links.push_back({*comparator, at, membership ? container() : binary()});
    }
    if (node.links.empty()) return std::move(node.first);
    return make_node(position, std::move(node));
  }

  // Order and repetition do not matter to `in`, so that a set is a list there.
  NodePointer container() {
    const std::size_t position = here().position;
    if (!skip_symbol("{")) return binary();
    Items inside = items("}");
    if (!inside.comprehension && inside.list.empty())
      fail_at(position, "{} is a dictionary, which expressions do not have");
    return make_sequence(position, std::move(inside), SequenceKind::kSet);
  }

  std::optional<Comparator> skip_comparator() {
    if (is_word("is")) {
      fail_at(here().position, "found 'is', write '==' or '!=': values have no identity");
    }
    if (skip_word("in")) return Comparator::kIn;
    if (is_word("not") && is(ahead(1), Token::Kind::kName, "in")) {
      skip(2);
      return Comparator::kNotIn;
    }
    constexpr std::array<std::pair<std::string_view, Comparator>, 6> kComparators = {
        {{"<", Comparator::kLess},
         {"<=", Comparator::kLessEqual},
         {">", Comparator::kGreater},
         {">=", Comparator::kGreaterEqual},
         {"==", Comparator::kEqual},
         {"!=", Comparator::kNotEqual}}};
    for (const auto& [symbol, comparator] : kComparators) {
      if (skip_symbol(symbol)) return comparator;
    }
    return std::nullopt;
  }

  NodePointer binary(std::size_t level = 0) {
    if (level == kLevels) return factor();
    const std::size_t position = here().position;
    ArithmeticNode node{binary(level + 1), {}};
    for (;;) {
      const std::size_t at = here().position;
      const auto* const found =
          std::ranges::find_if(kBinaryOperators, [&](const BinaryOperator& entry) {
            return entry.level == level && is_symbol(entry.symbol);
          });
      if (found == kBinaryOperators.end()) break;
      skip();
      node.steps.push_back({found->op, at, binary(level + 1)});
    }
    if (node.steps.empty()) return std::move(node.first);
    return make_node(position, std::move(node));
  }

  NodePointer factor() {
    const std::size_t position = here().position;
    const UnaryOperator op = is_symbol("-")   ? UnaryOperator::kMinus
                             : is_symbol("~") ? UnaryOperator::kInvert
                                              : UnaryOperator::kPlus;
    if (op == UnaryOperator::kPlus && !is_symbol("+")) return power();
    skip();
    if (op == UnaryOperator::kMinus && is_magnitude_of_least()) {
      skip();
      refuse_trailer();
      return make_node(position, LiteralNode{std::numeric_limits<std::int64_t>::min()});
    }
    const Nesting nesting(*this);
    return make_node(position, UnaryNode{op, factor()});
  }

  // 9223372036854775808 behind a minus: the one integer whose magnitude is none.
  bool is_magnitude_of_least() const {
    const auto* number = std::get_if<double>(&here().literal);
    return here().is_beyond && number != nullptr && *number == 0x1p63 &&
           !is(ahead(1), Token::Kind::kSymbol, "**");
  }

  NodePointer power() {
    const std::size_t position = here().position;
    NodePointer base = primary();
    refuse_trailer();
    const std::size_t at = here().position;
    if (!skip_symbol("**")) return base;
    const Nesting nesting(*this);
    return make_arithmetic(position, ArithmeticOperator::kPower, at, std::move(base), factor());
  }

  // What Python lets follow a value, and expressions do not have.
  void refuse_trailer() const {
    if (is_symbol(".")) {
      fail_at(here().position,
              "found '.': values have no methods and no members here; functions are called by "
              "their name");
    }
    if (is_symbol("[")) {
      fail_at(here().position,
              "found '[': elements and slices cannot be taken here; write the values out, as in "
              "a if c else b");
    }
  }

  NodePointer primary() {
    const Token token = here();
    if (token.kind == Token::Kind::kLiteral) {
      skip();
      return make_node(token.position, LiteralNode{token.literal, token.is_beyond});
    }
    if (token.kind == Token::Kind::kName) return word();
    if (skip_symbol("(")) return parenthesised(token.position);
    if (skip_symbol("[")) return make_sequence(token.position, items("]"), SequenceKind::kList);
    if (is_symbol("{"))
      fail_at(token.position, "found '{': a set may stand after 'in' only; write a list: [1, 2]");
    fail("a number, a name, a text, '(' or '['");
  }

  NodePointer word() {
    const Token token = here();
    if (std::ranges::find(kKeywords, token.text) != kKeywords.end())
      fail("a number, a name, a text, '(' or '['");
    if (token.text == "None") fail_at(token.position, "None is no value of a parameter");
    skip();
    if (token.text == "True" || token.text == "False") {
      return make_node(token.position, LiteralNode{token.text == "True"});
    }
    if (token.text == "math" && skip_symbol(".")) return member_of_math();
    if (is_symbol("(")) return call(token, /*of_math=*/false);
    if (is_symbol("[")) return subscript();
    return name(token.position, token.text);
  }

  NodePointer member_of_math() {
    const Token member = here();
    if (member.kind != Token::Kind::kName) fail("the name of a function");
    skip();
    const std::optional<double> number = number_of_math(member.text);
    return number ? make_node(member.position, LiteralNode{*number})
                  : call(member, /*of_math=*/true);
  }

  // p["x"]: the way in which functions over a dictionary of parameters are written.
  NodePointer subscript() {
    skip();
    const Token key = here();
    const auto* text = std::get_if<std::string>(&key.literal);
    if (key.kind != Token::Kind::kLiteral || text == nullptr)
      fail("the name of a parameter in quotes");
    skip();
    expect_symbol("]");
    return name(key.position, *text, /*variables=*/false);
  }

  NodePointer name(std::size_t position, std::string_view text, bool variables = true) {
    const auto variable = std::find(variables_.rbegin(), variables_.rend(), text);
    if (variables && variable != variables_.rend()) {
      const auto slot = static_cast<std::size_t>(variables_.rend() - variable - 1);
      return make_node(position, VariableNode{slot});
    }
    auto node = std::make_unique<Node>(Node{position, NameNode{std::string(text), 0}});
    names_.push_back(&std::get<NameNode>(node->body));
    return node;
  }

  NodePointer call(const Token& function, bool of_math) {
    expect_function(function);
    expect_symbol("(");
    Items inside = items(")");
    if (inside.comprehension) inside.list.push_back(std::move(inside.comprehension));
    return make_call(function, of_math, std::move(inside.list));
  }

  // --- Lists, tuples, arguments, comprehensions ---

  struct Items {
    std::vector<NodePointer> list;
    bool trailing_comma = false;
    NodePointer comprehension;  // instead of a list
  };

  NodePointer make_sequence(std::size_t position, Items items, SequenceKind kind) {
    if (items.comprehension) return std::move(items.comprehension);
    return make_node(position, SequenceNode{std::move(items.list), kind});
  }

  NodePointer parenthesised(std::size_t position) {
    Items inside = items(")");
    const bool tuple = inside.comprehension || inside.list.size() != 1 || inside.trailing_comma;
    return tuple ? make_sequence(position, std::move(inside), SequenceKind::kTuple)
                 : std::move(inside.list.front());
  }

  // Up to and with `closing`; the opening bracket has been taken.
  Items items(std::string_view closing) {
    Items result;
    const std::size_t position = here().position;
    const std::vector<std::string_view> variables = variables_ahead();
    if (!variables.empty()) {
      result.comprehension = comprehension(position, variables, comprehended(closing));
      expect_symbol(closing);
      return result;
    }
    while (!skip_symbol(closing)) {
      result.list.push_back(expression());
      result.trailing_comma = skip_symbol(",");
      if (!result.trailing_comma && !is_symbol(closing))
        fail("',' or '" + std::string(closing) + "'");
    }
    return result;
  }

  // The variables of the comprehension that starts here: its item, which uses them, comes first.
  std::vector<std::string_view> variables_ahead() const {
    std::vector<std::string_view> variables;
    int depth = 0;
    for (std::size_t n = 0; depth >= 0 && ahead(n).kind != Token::Kind::kEnd; ++n) {
      const Token& token = ahead(n);
      if (token.kind == Token::Kind::kSymbol) {
        depth += token.text == "(" || token.text == "[" || token.text == "{" ? 1 : 0;
        depth -= token.text == ")" || token.text == "]" || token.text == "}" ? 1 : 0;
      }
      if (depth == 0 && is(token, Token::Kind::kName, "for"))
        variables.push_back(ahead(n + 1).text);
    }
    return variables;
  }

  static SequenceKind comprehended(std::string_view closing) {
    if (closing == ")") return SequenceKind::kGenerator;
    return closing == "]" ? SequenceKind::kList : SequenceKind::kSet;
  }

  NodePointer comprehension(std::size_t position, const std::vector<std::string_view>& variables,
                            SequenceKind kind) {
    const std::size_t outer = variables_.size();
    ComprehensionNode node{nullptr, {}, kind};
    variables_.insert(variables_.end(), variables.begin(), variables.end());
    node.item = expression();
    variables_.resize(outer);
    while (skip_word("for")) {
      if (here().kind != Token::Kind::kName) fail("the name of a variable");
      const Token variable = here();
      skip();
      expect_word("in");
      ComprehensionNode::Clause clause{variables_.size(), disjunction(), {}};
      variables_.push_back(variable.text);
      while (skip_word("if")) clause.conditions.push_back(disjunction());
      node.clauses.push_back(std::move(clause));
    }
    variables_.resize(outer);
    return make_node(position, std::move(node));
  }

  void number_names(std::set<std::string, std::less<>>& names) {
    for (const NameNode* node : names_) names.insert(node->name);
    std::map<std::string_view, std::size_t> slots;
    for (const std::string& known : names) slots.emplace(known, slots.size());
    for (NameNode* node : names_) node->slot = slots.at(node->name);
  }

  int depth_ = 0;
  std::vector<std::string_view> variables_;  // of the comprehensions around this place
  std::vector<NameNode*> names_;
};

}  // namespace

ParsedExpression parse_expression(std::string_view text) { return Parser(text).run(); }

}  // namespace nightshift::search
