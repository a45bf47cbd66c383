#include "search/expression/scalar_table.h"

#include <algorithm>

#include "base/overloaded.h"
#include "search/expression/expression_walk.h"

namespace nightshift::search {

ScalarTable::ScalarTable(const std::vector<Parameter>& parameters,
                         const std::vector<const Expression*>& expressions)
    : texts_(1) {
  const auto take = [&](const Value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) texts_.push_back(*text);
  };
  for (const Parameter& parameter : parameters) std::ranges::for_each(parameter.values, take);
  for (const Expression* expression : expressions) {
    if (expression->root() == nullptr) continue;
    walk(*expression->root(), [&](const Expression::Node& node) {
      if (const auto* literal = std::get_if<LiteralNode>(&node.body)) take(literal->value);
    });
  }
  std::ranges::sort(texts_);
  texts_.erase(std::unique(texts_.begin(), texts_.end()), texts_.end());
  values_.reserve(parameters.size());
  for (const Parameter& parameter : parameters) {
    std::vector<Scalar>& values = values_.emplace_back();
    values.reserve(parameter.values.size());
    for (const Value& value : parameter.values) values.push_back(scalar_of(value));
  }
}

Scalar ScalarTable::scalar_of(const Value& value) const {
  return std::visit(
      base::Overloaded{
          [](bool flag) { return Scalar::boolean(flag); },
          [](std::int64_t whole) { return Scalar::integer(whole); },
          [](double number) { return Scalar::real(number); },
          [&](const std::string& text) {
            return Scalar::text(std::ranges::lower_bound(texts_, text) - texts_.begin());
          },
      },
      value);
}

Value ScalarTable::value_of(Scalar scalar) const {
  if (scalar.is_integer()) return scalar.payload.whole;
  if (scalar.is_real()) return scalar.payload.number;
  return texts_[static_cast<std::size_t>(scalar.payload.whole)];
}

}  // namespace nightshift::search
