#include "search/expression/term_graph.h"

#include <algorithm>
#include <cmath>

#include "search/expression/term_bounds.h"
#include "search/expression/term_evaluation.h"

namespace nightshift::search {

namespace {

using Kind = Term::Kind;

std::size_t mixed(std::size_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
  return hash ^ hash >> 29;
}

std::size_t hash_of(const Term& term) {
  std::size_t hash = mixed(static_cast<std::size_t>(term.kind), term.op);
  hash = mixed(hash, term.parameter);
  hash = mixed(hash, term.constant.bits() * 8 + static_cast<std::uint64_t>(term.constant.kind));
  for (const TermId operand : term.operands) hash = mixed(hash, operand);
  return hash;
}

bool same(const Term& a, const Term& b) {
  return a.kind == b.kind && a.op == b.op && a.parameter == b.parameter && a.node == b.node &&
         identical(a.constant, b.constant) && a.operands == b.operands;
}

// A long chain has a term for each of its beginnings.
constexpr std::size_t kMostFolded = 256;

double magnitude(const Bounds& bounds) {
  return std::max(std::abs(bounds.low), std::abs(bounds.high));
}

}  // namespace

TermGraph::TermGraph(const std::vector<Parameter>& parameters, const ScalarTable& table,
                     const Domains& domains)
    : parameters_(&parameters), table_(&table), domains_(&domains) {}

TermId TermGraph::constant(Scalar value) {
  return add({.kind = Kind::kConstant, .constant = value, .bounds = bounds_of(value)});
}

TermId TermGraph::parameter(std::size_t position) {
  const std::vector<Scalar>& values = table_->values(position);
  if ((*domains_)[position].size() == 1) return constant(values[(*domains_)[position].front()]);
  return add({.kind = Kind::kParameter,
              .parameter = static_cast<std::uint32_t>(position),
              .bounds = bounds_of(values)});
}

TermId TermGraph::add(Term term) {
  const bool leaf = term.kind == Kind::kConstant || term.kind == Kind::kParameter;
  if (!leaf) {
    const bool constant_operands = std::ranges::all_of(
        term.operands, [&](TermId operand) { return terms_[operand].is_constant(); });
    if (constant_operands && term.kind != Kind::kOpaque) {
      std::size_t steps = 0;
      const auto operand = [&](std::size_t i) { return terms_[term.operands[i]].constant; };
      return constant(evaluate_term(term, operand, *table_, steps));
    }
    std::vector<Bounds> bounds;
    bounds.reserve(term.operands.size());
    for (const TermId operand : term.operands) {
      bounds.push_back(terms_[operand].bounds);
      term.depth = std::max(term.depth, terms_[operand].depth + 1);
    }
    term.bounds = bounds_of(term, bounds);
  }
  return shared(std::move(term));
}

// The known term that is the same, or a new one.
TermId TermGraph::shared(Term term) {
  const auto location_of = [&](const Term& wanted) {
    std::size_t place = hash_of(wanted) & (places_.size() - 1);
    while (places_[place] != 0 && !same(terms_[places_[place] - 1], wanted)) {
      place = (place + 1) & (places_.size() - 1);
    }
    return place;
  };
  if (2 * (terms_.size() + 1) > places_.size()) {
    places_.assign(std::max<std::size_t>(2 * places_.size(), 256), 0);
    for (TermId id = 0; id < terms_.size(); ++id) places_[location_of(terms_[id])] = id + 1;
    terms_.reserve(places_.size() / 2);
  }
  const std::size_t place = location_of(term);
  if (places_[place] != 0) return places_[place] - 1;
  terms_.push_back(std::move(term));
  places_[place] = static_cast<TermId>(terms_.size());
  return places_[place] - 1;
}

TermId TermGraph::negation_of(TermId a) {
  if (!terms_[a].bounds.integral) return add({.kind = Kind::kNegate, .operands = {a}});
  return folded(Kind::kProduct, constant(Scalar::integer(-1)), a);
}

TermId TermGraph::inversion_of(TermId a) {
  const TermId ones = constant(Scalar::integer(-1));
  const bool exact = terms_[a].bounds.integral;  // then it is a sum, which folds
  return arithmetic_of(exact ? ArithmeticOperator::kSubtract : ArithmeticOperator::kBitXor, ones,
                       a);
}

TermId TermGraph::arithmetic_of(ArithmeticOperator op, TermId a, TermId b) {
  if (op == ArithmeticOperator::kShiftLeft && terms_[a].bounds.integral &&
      terms_[b].is_constant() && terms_[b].constant.is_integer()) {
    const std::int64_t bits = terms_[b].constant.payload.whole;
    constexpr std::int64_t kExactBits = 52;
    if (bits >= 0 && bits <= kExactBits) {  // a product, which folds
      const TermId factor = constant(Scalar::integer(std::int64_t{1} << bits));
      return arithmetic_of(ArithmeticOperator::kMultiply, a, factor);
    }
  }
  const Bounds& x = terms_[a].bounds;
  const Bounds& y = terms_[b].bounds;
  // Regrouped, what fails might come before what divides by zero, or behind it.
  const bool has_one_end =
      !(x.may_fail || y.may_fail) || !(x.may_divide_by_zero || y.may_divide_by_zero);
  if (x.integral && y.integral && has_one_end) {
    const bool additive = op == ArithmeticOperator::kAdd || op == ArithmeticOperator::kSubtract;
    if (additive && magnitude(x) + magnitude(y) <= kExact) {
      return folded(Kind::kSum, a, op == ArithmeticOperator::kAdd ? b : negation_of(b));
    }
    if (op == ArithmeticOperator::kMultiply && magnitude(x) * magnitude(y) <= kExact) {
      return folded(Kind::kProduct, a, b);
    }
  }
  return add({.kind = Kind::kArithmetic, .op = static_cast<std::uint8_t>(op), .operands = {a, b}});
}

// Both are integers. Every part of the operands must stay exact, not only the whole: a factor may
// be 0, and terms may cancel.
TermId TermGraph::folded(Kind kind, TermId a, TermId b) {
  const bool sum = kind == Kind::kSum;
  const auto apart = [&] {
    const auto op = sum ? ArithmeticOperator::kAdd : ArithmeticOperator::kMultiply;
    return add(
        {.kind = Kind::kArithmetic, .op = static_cast<std::uint8_t>(op), .operands = {a, b}});
  };
  if (terms_[a].operands.size() + terms_[b].operands.size() > kMostFolded) return apart();
  Term term{.kind = kind};
  std::int64_t known = sum ? 0 : 1;
  double reach = sum ? 0 : 1;
  const auto take = [&](TermId id) {
    const Term& operand = terms_[id];
    const double size = magnitude(operand.bounds);
    reach = sum ? reach + size : reach * std::max(size, 1.0);
    if (reach > kExact) return;
    if (!operand.is_constant()) {
      term.operands.push_back(id);
    } else if (sum) {
      known += operand.constant.payload.whole;
    } else {
      known *= operand.constant.payload.whole;
    }
  };
  for (const TermId side : {a, b}) {
    if (terms_[side].kind != kind) {
      take(side);
      continue;
    }
    for (const TermId operand : terms_[side].operands) take(operand);
  }
  if (reach > kExact) return apart();
  std::ranges::sort(term.operands);
  if (known != (sum ? 0 : 1) || term.operands.empty()) {
    term.operands.push_back(constant(Scalar::integer(known)));
  }
  if (term.operands.size() == 1) return term.operands.front();
  return add(std::move(term));
}

void TermGraph::split(TermId id, std::vector<TermId>& parts) {
  const Term& term = terms_[id];
  if (term.kind == Kind::kAnd) {
    const std::vector<TermId> operands = term.operands;
    for (const TermId operand : operands) split(operand, parts);
    return;
  }
  if (term.kind == Kind::kNot && terms_[term.operands.front()].kind == Kind::kOr) {
    const std::vector<TermId> operands = terms_[term.operands.front()].operands;
    for (const TermId operand : operands) split(complement_of(operand), parts);
    return;
  }
  parts.push_back(id);
}

std::vector<TermId> TermGraph::parts_of(const Expression& constraint) {
  std::vector<TermId> parts;
  split(compile_term(constraint, *this), parts);
  return parts;
}

std::vector<TermId> TermGraph::parts_of_condition(std::size_t position, std::uint32_t held_at,
                                                  const Expression& condition) {
  const TermId held =
      add({.kind = Kind::kCompare,
           .op = static_cast<std::uint8_t>(Comparator::kEqual),
           .operands = {parameter(position), constant(table_->values(position)[held_at])}});
  std::vector<TermId> parts;
  for (const TermId part : parts_of(condition)) {
    parts.push_back(add({.kind = Kind::kOr, .operands = {held, part}}));
  }
  return parts;
}

}  // namespace nightshift::search
