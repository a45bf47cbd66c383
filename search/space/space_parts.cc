#include "search/space/space_parts.h"

#include <algorithm>
#include <numeric>

namespace nightshift::search {

namespace {

Domains all_values(const std::vector<Parameter>& parameters) {
  Domains domains;
  for (const Parameter& parameter : parameters) {
    domains.emplace_back(parameter.values.size());
    std::iota(domains.back().begin(), domains.back().end(), 0U);
  }
  return domains;
}

std::vector<const Expression*> expressions_of(const std::vector<Parameter>& parameters,
                                              const std::vector<Expression>& constraints) {
  std::vector<const Expression*> all;
  for (const Expression& constraint : constraints) all.push_back(&constraint);
  for (const Parameter& parameter : parameters) {
    if (parameter.active_when) all.push_back(&*parameter.active_when);
  }
  return all;
}

std::uint32_t default_digit(const Parameter& parameter) {
  const auto at = std::ranges::find_if(parameter.values, [&](const Value& v) {
    return same_value(v, parameter.default_or_first());
  });
  return static_cast<std::uint32_t>(at - parameter.values.begin());
}

}  // namespace

SpaceParts::SpaceParts(const std::vector<Parameter>& parameters,
                       const std::vector<Expression>& constraints)
    : domains_(all_values(parameters)),
      table_(parameters, expressions_of(parameters, constraints)),
      graph_(parameters, table_, domains_) {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    add(graph_.parts_of(constraints[i]), i, constraints[i]);
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].active_when) continue;
    const Expression& condition = *parameters[i].active_when;
    if (condition.names().contains(parameters[i].name)) {
      throw SpaceError("the condition '" + condition.text() + "' of parameter '" +
                       parameters[i].name + "' depends on that parameter itself");
    }
    add(graph_.parts_of_condition(i, default_digit(parameters[i]), condition), std::nullopt,
        condition);
  }
}

void SpaceParts::add(const std::vector<TermId>& terms, std::optional<std::size_t> constraint,
                     const Expression& expression) {
  for (const TermId term : terms) {
    const bool known =
        std::ranges::any_of(parts_, [&](const SpacePart& part) { return part.term == term; });
    if (known) continue;
    parts_.push_back({term, parameters_of(term), constraint, &expression, most_states_of(term)});
  }
}

// A sum of parameters that is compared with a constant is one number at any time.
double SpaceParts::most_states_of(TermId root) const {
  const Term& term = graph_[root];
  if (term.kind != Term::Kind::kCompare) return 0;
  for (const std::size_t side : {0U, 1U}) {
    const Term& sum = graph_[term.operands[side]];
    if (!graph_[term.operands[1 - side]].is_constant() || sum.kind != Term::Kind::kSum) continue;
    const bool simple = std::ranges::all_of(sum.operands, [&](TermId id) {
      const auto leaf = [&](TermId operand) { return graph_[operand].operands.empty(); };
      return leaf(id) || (graph_[id].is_folded() && std::ranges::all_of(graph_[id].operands, leaf));
    });
    if (simple) return sum.bounds.high - sum.bounds.low + 1;
  }
  return 0;
}

std::vector<std::uint32_t> SpaceParts::parameters_of(TermId root) const {
  std::vector<bool> seen(root + 1);  // operands have lower numbers than what uses them
  seen[root] = true;
  std::vector<std::uint32_t> found;
  for (TermId id = root + 1; id-- > 0;) {
    if (!seen[id]) continue;
    if (graph_[id].kind == Term::Kind::kParameter) found.push_back(graph_[id].parameter);
    for (const TermId operand : graph_[id].operands) seen[operand] = true;
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace nightshift::search
