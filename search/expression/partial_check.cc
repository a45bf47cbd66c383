#include "search/expression/partial_check.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>

#include "search/expression/term_bounds.h"
#include "search/expression/term_evaluation.h"

namespace nightshift::search {

PartialCheck::PartialCheck(const TermGraph& graph, TermId root, std::vector<std::uint32_t> order,
                           const Domains& domains)
    : graph_(&graph), order_(std::move(order)) {
  import(root, domains);
  if (plan_size() <= kMaxPlan) plan();
}

void PartialCheck::import(TermId root, const Domains& domains) {
  // Operands have lower numbers than what uses them.
  std::vector<SourceLocation> location_of(root + 1);  // + 1; 0: not reached
  location_of[root] = 1;
  std::size_t count = 0;
  std::size_t operands = 0;
  for (TermId id = root + 1; id-- > 0;) {
    if (location_of[id] == 0) continue;
    ++count;
    operands += (*graph_)[id].operands.size();
    for (const TermId operand : (*graph_)[id].operands) location_of[operand] = 1;
  }
  locals_.reserve(count);
  operands_.reserve(operands);
  for (TermId id = 0; id <= root; ++id) {
    if (location_of[id] == 0) continue;
    const Term& term = (*graph_)[id];
    Local local{.term = &term, .operands = static_cast<SourceLocation>(operands_.size())};
    for (const TermId operand : term.operands) {
      operands_.push_back(location_of[operand] - 1);
      const Local& under = locals_[operands_.back()];
      local.closes_at = std::max(local.closes_at, under.closes_at);
      if (under.closes_at > 0) {
        local.opens_at =
            local.opens_at == 0 ? under.opens_at : std::min(local.opens_at, under.opens_at);
      }
    }
    if (term.kind == Term::Kind::kParameter) {
      const auto place = std::ranges::find(order_, term.parameter);
      if (place != order_.end()) {
        local.opens_at = local.closes_at = static_cast<std::uint32_t>(place - order_.begin()) + 1;
      }
    }
    if (local.closes_at == 0) set_constant(local, domains);
    locals_.push_back(local);
    location_of[id] = static_cast<SourceLocation>(locals_.size());
  }
}

void PartialCheck::set_constant(Local& local, const Domains& domains) const {
  const Term& term = *local.term;
  if (term.kind == Term::Kind::kParameter) {
    local.constant = table().values(term.parameter)[domains[term.parameter].front()];
    return;
  }
  std::size_t steps = 0;
  local.constant = evaluate_term(
      term, [&](std::size_t i) { return locals_[operand(local, i)].constant; }, table(), steps);
}

void PartialCheck::plan() {
  slot_of_.assign(plan_size(), -1);
  carried_.reserve(2 * depth());
  first_carried_.reserve(depth() + 2);
  first_carried_.push_back(0);
  for (std::size_t layer = 0; layer <= depth(); ++layer) {
    std::int32_t* slots = slot_of_.data() + layer * locals_.size();
    const auto carry = [&](SourceLocation place) {
      if (slots[place] >= 0) return;
      slots[place] = static_cast<std::int32_t>(carried_.size() - first_carried_.back());
      carried_.push_back(place);
    };
    if (layer == depth()) carry(root());
    for (SourceLocation place = 0; place < locals_.size(); ++place) {
      const Local& local = locals_[place];
      if (local.closes_at <= layer) continue;
      for (std::size_t i = 0; i < local.term->operands.size(); ++i) {
        const std::uint32_t closes_at = locals_[operand(local, i)].closes_at;
        if (closes_at == 0 || closes_at > layer) continue;
        carry(local.term->is_folded() ? place : operand(local, i));
      }
    }
    first_carried_.push_back(static_cast<std::uint32_t>(carried_.size()));
  }
}

Scalar PartialCheck::folded(SourceLocation place, const Frame& frame) const {
  const Local& local = locals_[place];
  const auto op = local.term->kind == Term::Kind::kSum ? ArithmeticOperator::kAdd
                                                       : ArithmeticOperator::kMultiply;
  const std::int32_t slot = frame.slot_of[place];
  bool any = slot >= 0;
  Scalar result = any ? frame.in[slot] : Scalar{};
  for (std::size_t i = 0; i < local.term->operands.size(); ++i) {
    // Constants are taken with the first part that is closed.
    const SourceLocation next_place = operand(local, i);
    const std::uint32_t closes_at = locals_[next_place].closes_at;
    if (closes_at > frame.closed || (slot >= 0 && closes_at < frame.closed)) continue;
    const Scalar next = value(next_place, frame);
    result = any ? arithmetic(op, result, next) : next;
    any = true;
  }
  return result;
}

Scalar PartialCheck::value(SourceLocation place, const Frame& frame) const {
  const Local& local = locals_[place];
  if (local.closes_at == 0) return local.constant;
  if (local.closes_at < frame.closed) return frame.in[frame.slot_of[place]];
  if (local.term->kind == Term::Kind::kParameter) {
    return table().values(local.term->parameter)[frame.digit];
  }
  if (local.term->is_folded()) return folded(place, frame);
  return evaluate_term(
      *local.term, [&](std::size_t i) { return value(operand(local, i), frame); }, table(),
      *frame.steps);
}

void PartialCheck::advance(std::size_t layer, const Scalar* in, std::uint32_t digit, Scalar* out,
                           std::size_t& steps) const {
  const Frame frame{slots_of(layer), layer + 1, in, digit, &steps};
  for (std::uint32_t i = first_carried_[layer + 1]; i < first_carried_[layer + 2]; ++i) {
    const SourceLocation place = carried_[i];
    const bool is_part = locals_[place].closes_at > layer + 1;
    *out++ = is_part ? folded(place, frame) : value(place, frame);
  }
}

PartialCheck::Outcome PartialCheck::outcome_of(Scalar value) {
  if (value.kind == Scalar::Kind::kFailure) return Outcome::kFailure;
  return value.is_value() && truth_of(value) ? Outcome::kTrue : Outcome::kFalse;
}

PartialCheck::TermBounds PartialCheck::term_bounds(const DomainOf& domain) const {
  TermBounds all;
  std::vector<Bounds> operands;
  for (const Local& local : locals_) {
    if (local.closes_at == 0) {
      all.push_back(bounds_of(local.constant));
    } else if (local.term->kind == Term::Kind::kParameter) {
      const std::vector<Scalar>& values = table().values(local.term->parameter);
      std::vector<Scalar> left;
      for (const std::uint32_t digit : domain(local.term->parameter)) left.push_back(values[digit]);
      all.push_back(left.empty() ? Bounds{} : bounds_of(left));
    } else {
      operands.clear();
      for (std::size_t i = 0; i < local.term->operands.size(); ++i) {
        operands.push_back(all[operand(local, i)]);
      }
      all.push_back(bounds_of(*local.term, operands));
    }
  }
  return all;
}

Bounds PartialCheck::bounds(SourceLocation place, std::size_t layer, const Scalar* in,
                            const TermBounds& open) const {
  const Local& local = locals_[place];
  if (local.closes_at == 0 || local.opens_at > layer) return open[place];
  const std::int32_t slot = slots_of(layer)[place];
  if (local.closes_at <= layer) return bounds_of(in[slot]);
  boost::container::small_vector<Bounds, 4> operands;
  const bool has_part = local.term->is_folded() && slot >= 0;
  if (has_part) operands.push_back(bounds_of(in[slot]));
  for (std::size_t i = 0; i < local.term->operands.size(); ++i) {
    const SourceLocation next = operand(local, i);
    if (has_part && locals_[next].closes_at <= layer) continue;
    operands.push_back(bounds(next, layer, in, open));
  }
  return bounds_of(*local.term, operands);
}

PartialCheck::Outcome PartialCheck::foreseen(std::size_t layer, const Scalar* in,
                                             const TermBounds& open) const {
  const Bounds of_root = bounds(root(), layer, in, open);
  if (of_root.always_true()) return Outcome::kTrue;
  return of_root.always_false() ? Outcome::kFalse : Outcome::kOpen;
}

}  // namespace nightshift::search
