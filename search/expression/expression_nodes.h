#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "search/expression/expression_tokens.h"
#include "search/expression/expression_tree.h"

namespace nightshift::search {

template <class Body>
NodePointer make_node(std::size_t position, Body body) {
  return std::make_unique<const ExpressionNode>(ExpressionNode{position, std::move(body)});
}

// a op b, where the operator stands at `at`.
NodePointer make_arithmetic(std::size_t position, ArithmeticOperator op, std::size_t at,
                            NodePointer a, NodePointer b);

// `name` is a function's, `of_math` where Python's module stands before it. pow() and log() of two
// arguments become operators. Throws ExpressionError for an unknown function or what it cannot
// take.
NodePointer make_call(const Token& name, bool of_math, std::vector<NodePointer> arguments);
void expect_function(const Token& name);  // throws ExpressionError

// nullopt unless it is pi, e or inf.
std::optional<double> number_of_math(std::string_view name);

}  // namespace nightshift::search
