#include "search/partial_check.h"

#include <algorithm>

namespace nightshift::search {

PartialCheck::PartialCheck(const TermGraph& graph, TermId root, std::vector<std::uint32_t> order,
                           const Domains& domains)
    : table_(&graph.table()), order_(std::move(order)) {
  import(graph, root, domains);
  if (plan_size() <= kMaxPlan) plan();
}

void PartialCheck::import(const TermGraph& graph, TermId root, const Domains& domains) {
  std::vector<bool> seen(root + 1);  // operands have lower numbers than what uses them
  seen[root] = true;
  std::vector<TermId> reached;
  for (TermId id = root + 1; id-- > 0;) {
    if (!seen[id]) continue;
    reached.push_back(id);
    for (const TermId operand : graph[id].operands) seen[operand] = true;
  }
  std::ranges::reverse(reached);
  const auto local = [&](TermId id) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(reached, id) - reached.begin());
  };
  for (const TermId id : reached) {
    Term& term = terms_.emplace_back(graph[id]);
    for (TermId& operand : term.operands) operand = local(operand);
    std::uint32_t closes = 0;
    for (const TermId operand : term.operands) closes = std::max(closes, closes_at_[operand]);
    if (term.kind == Term::Kind::kParameter) {
      const auto place = std::ranges::find(order_, term.parameter);
      if (place == order_.end()) {
        term = Term{.kind = Term::Kind::kConstant,
                    .constant = table_->values(term.parameter)[domains[term.parameter].front()]};
        term.bounds = bounds_of(term.constant);
      } else {
        closes = static_cast<std::uint32_t>(place - order_.begin()) + 1;
      }
    }
    if (closes == 0) fold(term);
    closes_at_.push_back(closes);
  }
}

// Parameters that were left with one value make constants of what depends on nothing else.
void PartialCheck::fold(Term& term) const {
  if (term.is_constant()) return;
  std::size_t steps = 0;
  const Scalar value = evaluate_term(
      term, [&](std::size_t i) { return terms_[term.operands[i]].constant; }, *table_, steps);
  term = Term{.kind = Term::Kind::kConstant, .constant = value};
  term.bounds = bounds_of(value);
}

void PartialCheck::plan() {
  layers_.resize(depth() + 1);
  for (std::size_t layer = 0; layer <= depth(); ++layer) {
    Layer& at = layers_[layer];
    at.slot_of.assign(terms_.size(), -1);
    const auto carry = [&](std::uint32_t term) {
      if (at.slot_of[term] >= 0) return;
      at.slot_of[term] = static_cast<std::int32_t>(at.carried.size());
      at.carried.push_back({term});
    };
    if (layer == depth()) {
      carry(static_cast<std::uint32_t>(terms_.size() - 1));
      break;
    }
    for (std::uint32_t t = 0; t < terms_.size(); ++t) {
      if (is_closed(t, layer)) continue;
      for (const TermId operand : terms_[t].operands) {
        if (closes_at_[operand] == 0 || !is_closed(operand, layer)) continue;
        carry(terms_[t].is_folded() ? t : operand);
      }
    }
  }
}

Scalar PartialCheck::folded(std::uint32_t id, const Frame& frame) const {
  const Term& term = terms_[id];
  const auto op =
      term.kind == Term::Kind::kSum ? ArithmeticOperator::kAdd : ArithmeticOperator::kMultiply;
  const std::int32_t slot = frame.layer->slot_of[id];
  bool any = slot >= 0;
  Scalar result = any ? frame.in[slot] : Scalar{};
  for (const TermId operand : term.operands) {
    // Constants are taken with the first part that is closed.
    const std::uint32_t closes = closes_at_[operand];
    if (closes > frame.closed || (slot >= 0 && closes < frame.closed)) continue;
    const Scalar next = value(operand, frame);
    result = any ? arithmetic(op, result, next) : next;
    any = true;
  }
  return result;
}

Scalar PartialCheck::value(std::uint32_t id, const Frame& frame) const {
  const Term& term = terms_[id];
  if (term.kind == Term::Kind::kConstant) return term.constant;
  if (closes_at_[id] < frame.closed) {
    const std::int32_t slot = frame.layer->slot_of[id];
    if (slot >= 0) return frame.in[slot];
  }
  if (term.kind == Term::Kind::kParameter) return table_->values(term.parameter)[frame.digit];
  if (term.is_folded()) return folded(id, frame);
  return evaluate_term(
      term, [&](std::size_t i) { return value(term.operands[i], frame); }, *table_, *frame.steps);
}

void PartialCheck::advance(std::size_t layer, const Scalar* in, std::uint32_t digit, Scalar* out,
                           std::size_t& steps) const {
  const Frame frame{&layers_[layer], layer + 1, in, digit, &steps};
  for (const Carried& carried : layers_[layer + 1].carried) {
    const bool is_part = !is_closed(carried.term, layer + 1);
    *out++ = is_part ? folded(carried.term, frame) : value(carried.term, frame);
  }
}

PartialCheck::Outcome PartialCheck::outcome_of(Scalar value) {
  if (value.kind == Scalar::Kind::kFailure) return Outcome::kFailure;
  return value.is_value() && truth_of(value) ? Outcome::kTrue : Outcome::kFalse;
}

Bounds PartialCheck::bounds(std::uint32_t id, std::size_t layer, const Scalar* in,
                            std::span<const Bounds> of_parameters) const {
  const Term& term = terms_[id];
  if (term.is_constant()) return term.bounds;
  const std::int32_t slot = layers_[layer].slot_of[id];
  if (is_closed(id, layer) && slot >= 0) return bounds_of(in[slot]);
  if (term.kind == Term::Kind::kParameter) return of_parameters[closes_at_[id] - 1];
  std::vector<Bounds> operands;
  const bool has_part = term.is_folded() && slot >= 0;
  if (has_part) operands.push_back(bounds_of(in[slot]));
  for (const TermId operand : term.operands) {
    if (has_part && is_closed(operand, layer)) continue;
    operands.push_back(bounds(operand, layer, in, of_parameters));
  }
  return bounds_of(term, operands);
}

PartialCheck::Outcome PartialCheck::foreseen(std::size_t layer, const Scalar* in,
                                             std::span<const Bounds> of_parameters) const {
  const Bounds root =
      bounds(static_cast<std::uint32_t>(terms_.size() - 1), layer, in, of_parameters);
  if (root.always_true()) return Outcome::kTrue;
  return root.always_false() ? Outcome::kFalse : Outcome::kOpen;
}

}  // namespace nightshift::search
