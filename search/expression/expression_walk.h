#pragma once

#include "search/expression/expression_tree.h"

namespace nightshift::search {

template <class Visitor>
void walk(const ExpressionNode& node, const Visitor& visitor);

namespace detail {

template <class Each>
void each_child(const LiteralNode&, const Each&) {}
template <class Each>
void each_child(const NameNode&, const Each&) {}
template <class Each>
void each_child(const VariableNode&, const Each&) {}
template <class Each>
void each_child(const UnaryNode& node, const Each& each) {
  each(*node.operand);
}
template <class Each>
void each_child(const ArithmeticNode& node, const Each& each) {
  each(*node.first);
  for (const auto& step : node.steps) each(*step.operand);
}
template <class Each>
void each_child(const ComparisonNode& node, const Each& each) {
  each(*node.first);
  for (const auto& link : node.links) each(*link.operand);
}
template <class Each>
void each_child(const LogicNode& node, const Each& each) {
  for (const auto& operand : node.operands) each(*operand);
}
template <class Each>
void each_child(const ConditionalNode& node, const Each& each) {
  each(*node.condition);
  each(*node.then);
  each(*node.otherwise);
}
template <class Each>
void each_child(const SequenceNode& node, const Each& each) {
  for (const auto& item : node.items) each(*item);
}
template <class Each>
void each_child(const CallNode& node, const Each& each) {
  for (const auto& argument : node.arguments) each(*argument);
}
template <class Each>
void each_child(const ComprehensionNode& node, const Each& each) {
  each(*node.item);
  for (const auto& clause : node.clauses) {
    each(*clause.source);
    for (const auto& condition : clause.conditions) each(*condition);
  }
}

}  // namespace detail

// visitor(node) for the node and all below it. The parser bounds the depth.
template <class Visitor>
void walk(const ExpressionNode& node, const Visitor& visitor) {
  visitor(node);
  std::visit(
      [&](const auto& body) {
        detail::each_child(body, [&](const ExpressionNode& child) { walk(child, visitor); });
      },
      node.body);
}

}  // namespace nightshift::search
