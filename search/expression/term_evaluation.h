#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "search/expression/term.h"

namespace nightshift::search {

// By the interpreter; `steps` grows by what it took.
Scalar evaluate_opaque(const Term& term, std::span<const Scalar> operands, const ScalarTable& table,
                       std::size_t& steps);

namespace detail {

template <class Operand>
Scalar evaluate_logic(const Term& term, const Operand& operand) {
  Scalar result = operand(0);
  for (std::size_t i = 1; i < term.operands.size(); ++i) {
    if (!result.is_value() || truth_of(result) != (term.kind == Term::Kind::kAnd)) return result;
    result = operand(i);
  }
  return result;
}

template <class Operand>
Scalar evaluate_one_of(const Term& term, const Operand& operand) {
  const Scalar wanted = operand(0);
  if (!wanted.is_value()) return wanted;  // also where there is nothing to compare it with
  Scalar found = Scalar::boolean(false);
  for (std::size_t i = 1; i < term.operands.size(); ++i) {
    const Scalar equal = compared(Comparator::kEqual, wanted, operand(i));
    if (!equal.is_value()) return equal;
    if (truth_of(equal)) found = equal;
  }
  return found;
}

template <class Operand>
Scalar evaluate_extreme(const Term& term, const Operand& operand) {
  const Comparator better =
      term.kind == Term::Kind::kMinimum ? Comparator::kLess : Comparator::kGreater;
  Scalar best = operand(0);
  for (std::size_t i = 1; i < term.operands.size(); ++i) {
    const Scalar item = operand(i);
    const Scalar wins = compared(better, item, best);
    if (!wins.is_value()) return wins;
    if (truth_of(wins)) best = item;
  }
  return best;
}

template <class Operand>
Scalar evaluate_all(const Term& term, const Operand& operand, const ScalarTable& table,
                    std::size_t& steps) {
  std::vector<Scalar> operands;
  for (std::size_t i = 0; i < term.operands.size(); ++i) operands.push_back(operand(i));
  return evaluate_opaque(term, operands, table, steps);
}

}  // namespace detail

// The value of a term; operand(i) gives its operands and is called for those only, and in that
// order, that Python would evaluate. Not for kParameter.
template <class Operand>
Scalar evaluate_term(const Term& term, const Operand& operand, const ScalarTable& table,
                     std::size_t& steps) {
  using Kind = Term::Kind;
  switch (term.kind) {
    case Kind::kConstant:
    case Kind::kParameter:
      return term.constant;
    case Kind::kNot: {
      const Scalar value = operand(0);
      return value.is_value() ? Scalar::boolean(!truth_of(value)) : value;
    }
    case Kind::kNegate:
      return negated(operand(0));
    case Kind::kNumber: {
      const Scalar value = operand(0);
      return value.is_text() ? Scalar::failure() : value;
    }
    case Kind::kArithmetic: {
      const Scalar left = operand(0);
      return arithmetic(static_cast<ArithmeticOperator>(term.op), left, operand(1));
    }
    case Kind::kSum:
    case Kind::kProduct: {
      const auto op =
          term.kind == Kind::kSum ? ArithmeticOperator::kAdd : ArithmeticOperator::kMultiply;
      Scalar value = operand(0);
      for (std::size_t i = 1; i < term.operands.size(); ++i) {
        value = arithmetic(op, value, operand(i));
      }
      return value;
    }
    case Kind::kCompare: {
      const Scalar left = operand(0);
      return compared(static_cast<Comparator>(term.op), left, operand(1));
    }
    case Kind::kAnd:
    case Kind::kOr:
      return detail::evaluate_logic(term, operand);
    case Kind::kConditional: {
      const Scalar condition = operand(0);
      return condition.is_value() ? operand(truth_of(condition) ? 1 : 2) : condition;
    }
    case Kind::kOneOf:
      return detail::evaluate_one_of(term, operand);
    case Kind::kMinimum:
    case Kind::kMaximum:
      return detail::evaluate_extreme(term, operand);
    case Kind::kApply:
      return applied(static_cast<Function>(term.op), operand(0));
    case Kind::kOpaque:
      return detail::evaluate_all(term, operand, table, steps);
  }
  return Scalar::failure();
}

}  // namespace nightshift::search
