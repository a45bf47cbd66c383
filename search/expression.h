#pragma once

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "search/expression/expression_error.h"
#include "search/value.h"

namespace nightshift::search {

struct ExpressionNode;  // defined in search/expression/expression_tree.h

// An expression over parameters in the syntax of the auto-tuning community, which is Python's:
// + - * / // % **, & | ^ ~ << >>, unary -, comparisons and their chains (32 <= x*y <= 1024), and or
// not, in / not in over lists, tuples and sets, lists joined by +, conditional (a if c else b),
// comprehensions, the functions of expression_functions.h, names, True False None-free literals,
// numbers, strings, parentheses and lists.
// Semantics are Python's too: `/` is true division, `//` and `%` floor, `and`/`or` return an
// operand. Where they part: an integer result beyond 64 bits becomes a double, and a negative
// number to a fractional power is an error; and a bit operator does not take that double. p["x"] is
// read as the parameter x.
//
//   Expression e = Expression::parse("32 <= block_x * block_y <= 1024");
//   e.evaluate([&](std::string_view name) -> const Value* { return configuration.find(name); });
class Expression {
 public:
  static Expression parse(std::string_view text);  // throws ExpressionError

  // Looks names up; returns nullptr for an unknown one (evaluate then throws ExpressionError).
  using Lookup = std::function<const Value*(std::string_view)>;

  Value evaluate(
      const Lookup& lookup) const;  // throws ExpressionError (unknown name, division by 0, type)
  bool holds(const Lookup& lookup) const;  // truth of the value; a division by zero is false
  // The same without lookups: the values in the order of names(), nullptr for an unknown one.
  bool holds_for(std::span<const Value* const> values) const;
  // The value as a list, for texts such as "[2**i for i in range(6)]" or "range(1, 9)" or "[1, 2]".
  static std::vector<Value> parse_list(std::string_view text);  // throws ExpressionError

  const std::set<std::string, std::less<>>& names() const { return names_; }
  const std::string& text() const { return text_; }

  using Node = ExpressionNode;  // the typed tree, private to the room
  const Node* root() const { return root_.get(); }

 private:
  std::string text_;
  std::set<std::string, std::less<>> names_;
  std::shared_ptr<const Node> root_;
};

}  // namespace nightshift::search
