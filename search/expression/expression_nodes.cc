#include "search/expression/expression_nodes.h"

#include <limits>
#include <numbers>

namespace nightshift::search {

NodePointer make_arithmetic(std::size_t position, ArithmeticOperator op, std::size_t at,
                            NodePointer a, NodePointer b) {
  ArithmeticNode node{std::move(a), {}};
  node.steps.push_back({op, at, std::move(b)});
  return make_node(position, std::move(node));
}

void expect_function(const Token& name) {
  if (find_function(name.text) != nullptr) return;
  fail_at(name.position,
          "unknown function '" + std::string(name.text) + "'; there are " + function_names());
}

NodePointer make_call(const Token& name, bool of_math, std::vector<NodePointer> arguments) {
  expect_function(name);
  const FunctionEntry& entry = *find_function(name.text);
  if (arguments.size() < entry.least || arguments.size() > entry.most) {
    fail_at(name.position, std::string(entry.name) + "() does not take " +
                               std::to_string(arguments.size()) + " arguments");
  }
  const auto applied = [&](Function function, std::size_t argument) {
    CallNode call{function, {}};
    call.arguments.push_back(std::move(arguments[argument]));
    return make_node(name.position, std::move(call));
  };
  const auto joined = [&](ArithmeticOperator op, NodePointer a, NodePointer b) {
    return make_arithmetic(name.position, op, name.position, std::move(a), std::move(b));
  };
  if (entry.function == Function::kPow && of_math) {  // of doubles, as in C
    NodePointer base = applied(Function::kFloat, 0);
    return joined(ArithmeticOperator::kPower, std::move(base), applied(Function::kFloat, 1));
  }
  if (entry.function == Function::kPow) {
    return joined(ArithmeticOperator::kPower, std::move(arguments[0]), std::move(arguments[1]));
  }
  if (entry.function == Function::kLog && arguments.size() == 2) {
    NodePointer number = applied(Function::kLog, 0);
    return joined(ArithmeticOperator::kDivide, std::move(number), applied(Function::kLog, 1));
  }
  return make_node(name.position, CallNode{entry.function, std::move(arguments)});
}

std::optional<double> number_of_math(std::string_view name) {
  if (name == "pi") return std::numbers::pi;
  if (name == "e") return std::numbers::e;
  if (name == "inf") return std::numeric_limits<double>::infinity();
  return std::nullopt;
}

}  // namespace nightshift::search
