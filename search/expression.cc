#include "search/expression.h"

#include "search/expression/expression_tree.h"

namespace nightshift::search {

namespace {

const Expression::Node& parsed(const std::shared_ptr<const Expression::Node>& root) {
  if (!root) throw ExpressionError("the expression is empty", 0);
  return *root;
}

std::vector<const Value*> look_up(const std::set<std::string, std::less<>>& names,
                                  const Expression::Lookup& lookup) {
  std::vector<const Value*> values;
  values.reserve(names.size());
  for (const std::string& name : names) values.push_back(lookup(name));
  return values;
}

}  // namespace

Expression Expression::parse(std::string_view text) {
  ParsedExpression parsed = parse_expression(text);
  Expression result;
  result.text_ = text;
  result.names_ = std::move(parsed.names);
  result.root_ = std::move(parsed.root);
  return result;
}

Value Expression::evaluate(const Lookup& lookup) const {
  return evaluate_tree(parsed(root_), look_up(names_, lookup));
}

bool Expression::holds(const Lookup& lookup) const { return holds_for(look_up(names_, lookup)); }

bool Expression::holds_for(std::span<const Value* const> values) const {
  try {
    return tree_holds(parsed(root_), values);
  } catch (const DivisionByZero&) {
    return false;
  }
}

std::vector<Value> Expression::parse_list(std::string_view text) {
  const ParsedExpression tree = parse_expression(text);
  return evaluate_list(*tree.root, std::vector<const Value*>(tree.names.size()));
}

}  // namespace nightshift::search
