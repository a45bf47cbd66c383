#include "scheduler/trials/equal_code.h"

namespace nightshift::scheduler {

using search::TrialId;

std::optional<TrialId> EqualCode::measured(const std::string& artifact, TrialId trial) {
  measured_.emplace(artifact, trial);
  const auto other = under_way_.find(artifact);
  if (other == under_way_.end() || other->second == trial) return std::nullopt;
  return other->second;
}

EqualCode::Standing EqualCode::enter(const std::string& artifact, TrialId trial) {
  if (const auto owner = measured_.find(artifact); owner != measured_.end()) {
    return {owner->second};
  }
  const auto [first, is_first] = under_way_.try_emplace(artifact, trial);
  if (is_first || first->second == trial) return {};
  waiting_[first->second].push_back(trial);
  return {std::nullopt, true};
}

std::optional<TrialId> EqualCode::baseline_of(const ProposedTrial& trial) const {
  const bool is_it = trial.job == search::JobKind::kExplore && baseline_point_ &&
                     trial.configuration == *baseline_point_;
  return is_it ? baseline_trial_ : std::nullopt;
}

std::vector<TrialId> EqualCode::leave(const std::string& artifact, TrialId trial) {
  const auto own = under_way_.find(artifact);
  if (own == under_way_.end() || own->second != trial) return {};
  under_way_.erase(own);
  auto waited = waiting_.extract(trial);
  return waited.empty() ? std::vector<TrialId>{} : std::move(waited.mapped());
}

}  // namespace nightshift::scheduler
