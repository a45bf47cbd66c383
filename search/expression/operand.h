#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "search/expression/expression_tree.h"
#include "search/value.h"

namespace nightshift::search {

struct OperandList;

// A value while an expression is evaluated. Texts are views into the tree or the parameters.
using Operand =
    std::variant<bool, std::int64_t, double, std::string_view, std::shared_ptr<const OperandList>>;

struct OperandList {
  std::vector<Operand> items;
  SequenceKind kind = SequenceKind::kList;
};

Operand operand_of(const Value& value);  // which outlives the operand
bool truth_of(const Operand& operand);

// Python's operators; + joins two lists or two tuples. `position` is the operator's, for the ExpressionError
// where types do not fit. `elements` counts those of lists, up to kMaxElementsTogether.
Operand arithmetic(ArithmeticOperator op, const Operand& a, const Operand& b, std::size_t position,
                   std::size_t& elements);
[[noreturn]] void fail_too_long(std::size_t position);  // a list of too many elements
Operand negated(const Operand& a, std::size_t position);
Operand inverted(const Operand& a, std::size_t position);  // ~a
// `steps` counts the elements that were looked at, up to kMaxEvaluationSteps.
bool compares(Comparator comparator, const Operand& a, const Operand& b, std::size_t position,
              std::size_t& steps);

// A function of one number, as in scalar.h.
Operand apply(Function function, const Operand& a, std::size_t position);

// Throws ExpressionError for texts and lists; bool becomes an integer.
using Number = std::variant<std::int64_t, double>;
Number number_of(const Operand& operand, std::size_t position);

}  // namespace nightshift::search
