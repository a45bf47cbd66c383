#include "search/space/space_builder.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "search/space/diagram_builder.h"
#include "search/space/implicit_group.h"
#include "search/space/parameter_order.h"

namespace nightshift::search {

namespace {

// What one check may take, a fraction of a second.
constexpr std::size_t kCheckTransitions = std::size_t{1} << 24;
constexpr std::size_t kCheckSteps = std::size_t{1} << 26;
// Domains that have lost as much as this call for another order.
constexpr double kMuchPruned = 4;

}  // namespace

SpaceBuilder::SpaceBuilder(std::shared_ptr<const SpaceParts> parts, const Choice& choice,
                           Effort& effort, bool implicit_allowed)
    : parts_(std::move(parts)),
      effort_(effort),
      implicit_allowed_(implicit_allowed),
      domains_(parts_->domains()) {
  for (std::size_t i = 0; i < parts_->parts().size(); ++i) {
    failing_.push_back(choice(i));
    open_.push_back(failing_.back().has_value());
  }
}

SpaceBuilder::Result SpaceBuilder::run() {
  if (!prune_values()) return Result::kEmpty;
  for (const Members& parameters : components()) {
    const Result result = build_group(parameters);
    if (result != Result::kBuilt) return result;
  }
  return Result::kBuilt;
}

void SpaceBuilder::note_free_parameters() {
  free_.resize(open_.size());
  for (std::size_t i = 0; i < open_.size(); ++i) {
    free_[i].clear();
    if (!open_[i]) continue;
    free_[i].reserve(parts_->parts()[i].parameters.size());
    for (const std::uint32_t p : parts_->parts()[i].parameters) {
      if (domains_[p].size() > 1) free_[i].push_back(p);
    }
  }
}

// Settles the parts over at most one parameter, which may leave others with one. False where
// nothing is left.
bool SpaceBuilder::prune_values() {
  for (bool again = true; again;) {
    again = false;
    note_free_parameters();
    for (std::uint32_t i = 0; i < open_.size(); ++i) {
      const Members& free = free_[i];
      if (!open_[i] || free.size() > 1) continue;
      CheckDiagram check = check_for(i, free);
      if (!reduce(check, i)) continue;
      if (check.root() == CheckDiagram::kDead) return false;
      open_[i] = false;
      again |= !free.empty() && domains_[free.front()].size() == 1;
    }
  }
  return true;
}

// Parameters that open parts tie together, each by its first one.
std::vector<SpaceBuilder::Members> SpaceBuilder::components() const {
  std::vector<std::uint32_t> leader(domains_.size());
  std::iota(leader.begin(), leader.end(), 0U);
  const auto find = [&](std::uint32_t p) {
    while (leader[p] != p) p = leader[p] = leader[leader[p]];
    return p;
  };
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (!open_[i]) continue;
    const Members& free = free_[i];
    for (const std::uint32_t p : free) {
      const std::uint32_t a = find(p);
      const std::uint32_t b = find(free.front());
      leader[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<Members> components;
  std::vector<std::size_t> place(domains_.size());
  for (std::uint32_t p = 0; p < domains_.size(); ++p) {
    const std::uint32_t first = find(p);
    if (first == p) {
      place[p] = components.size();
      components.emplace_back();
    }
    components[place[first]].push_back(p);
  }
  return components;
}

SpaceBuilder::Members SpaceBuilder::parts_over(const Members& parameters) const {
  Members parts;
  for (std::uint32_t i = 0; i < open_.size(); ++i) {
    if (!open_[i]) continue;
    const Members& free = free_[i];
    if (!free.empty() && std::ranges::binary_search(parameters, free.front())) parts.push_back(i);
  }
  return parts;
}

SpaceBuilder::Members SpaceBuilder::order_of(const Members& parameters,
                                             const Members& parts) const {
  std::vector<CheckShape> checks;
  for (const std::uint32_t part : parts) {
    checks.push_back({free_[part], parts_->parts()[part].most_states});
  }
  return order_parameters(parameters, checks, domains_);
}

CheckDiagram SpaceBuilder::check_for(std::size_t part, Members order) const {
  const SpacePart& source = parts_->parts()[part];
  PartialCheck check(parts_->graph(), source.term, std::move(order), domains_);
  if (check.plan_size() > kMaxPlan) {
    throw SpaceError("the expression '" + source.expression->text().substr(0, 100) +
                     "...' has too many parameters");
  }
  return {std::move(check), *failing_[part]};
}

bool SpaceBuilder::reduce(CheckDiagram& check, std::size_t part) {
  Effort effort{std::min(effort_.transitions, kCheckTransitions),
                std::min(effort_.steps, kCheckSteps), effort_.bytes};
  const Effort before = effort;
  const bool reduced = check.reduce(domains_, effort);
  effort_.transitions -= before.transitions - effort.transitions;
  effort_.steps -= before.steps - effort.steps;
  if (check.has_failed() && std::ranges::find(failed_, part) == failed_.end()) {
    failed_.push_back(part);
  }
  return reduced;
}

double SpaceBuilder::combinations(const Members& parameters) const {
  double count = 1;
  for (const std::uint32_t p : parameters) count *= static_cast<double>(domains_[p].size());
  return count;
}

// Reduced, the smaller ones first, since they prune for the others; in the order of `parts`. None
// where that leaves a parameter without values.
std::vector<CheckDiagram> SpaceBuilder::checks_for(const Members& order, const Members& parts) {
  std::vector<std::size_t> turn(parts.size());
  std::iota(turn.begin(), turn.end(), std::size_t{0});
  std::vector<double> size;
  for (const std::uint32_t part : parts) size.push_back(combinations(free_[part]));
  std::ranges::stable_sort(turn, {}, [&](std::size_t i) { return size[i]; });
  std::vector<std::pair<std::size_t, CheckDiagram>> made;
  made.reserve(parts.size());
  for (const std::size_t i : turn) {
    const Members& free = parts_->parts()[parts[i]].parameters;
    Members own;
    own.reserve(free.size());
    std::ranges::copy_if(order, std::back_inserter(own),
                         [&](std::uint32_t p) { return std::ranges::binary_search(free, p); });
    made.emplace_back(i, check_for(parts[i], std::move(own)));
    reduce(made.back().second, parts[i]);
    if (combinations(order) == 0) return {};
  }
  std::ranges::sort(made, {}, [](const auto& entry) { return entry.first; });
  std::vector<CheckDiagram> checks;
  checks.reserve(made.size());
  for (auto& entry : made) checks.push_back(std::move(entry.second));
  return checks;
}

void SpaceBuilder::add_diagram(std::vector<SpaceDiagram::Layer> layers) {
  try {
    groups_.push_back(std::make_unique<DiagramGroup>(std::move(layers)));
  } catch (const std::overflow_error&) {
    throw SpaceError("there are more than 2^128 configurations; remove values or parameters");
  }
}

SpaceBuilder::Result SpaceBuilder::build_group(const Members& parameters) {
  const Members parts = parts_over(parameters);
  if (parts.empty()) {
    for (const std::uint32_t p : parameters) {
      groups_.push_back(std::make_unique<FreeGroup>(p, domains_[p]));
    }
    return Result::kBuilt;
  }
  const double before = combinations(parameters);
  Members order = order_of(parameters, parts);
  std::vector<CheckDiagram> checks = checks_for(order, parts);
  if (combinations(parameters) == 0) return Result::kEmpty;
  if (combinations(parameters) * kMuchPruned <= before) {
    const Members better = order_of(parameters, parts);
    if (better != order) {
      order = better;
      checks = checks_for(order, parts);
      if (combinations(parameters) == 0) return Result::kEmpty;
    }
  }
  auto layers = build_diagram(order, checks, domains_, effort_);
  if (!layers && !implicit_allowed_) return Result::kTooLarge;
  if (!layers) {
    groups_.push_back(std::make_unique<ImplicitGroup>(order, std::move(checks), domains_, parts_));
    return Result::kBuilt;
  }
  for (std::size_t i = 0; i < checks.size(); ++i) {
    if (checks[i].has_failed() && std::ranges::find(failed_, parts[i]) == failed_.end()) {
      failed_.push_back(parts[i]);
    }
  }
  if (layers->empty()) return Result::kEmpty;
  add_diagram(std::move(*layers));
  return Result::kBuilt;
}

}  // namespace nightshift::search
