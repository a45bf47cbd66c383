// Equal machine code is measured once: the part of TrialRunner that lets one trial speak for
// others.
#include <variant>

#include "scheduler/trials/trial_runner.h"

namespace nightshift::scheduler {

using search::JobKind;
using search::TrialId;

// True when another trial with the same artifact answers for this one, now or when it ends.
bool TrialRunner::has_equal_code(const LiveTrial& trial) {
  const TrialId id = trial.order.trial.id;
  if (const auto owner = owners_.find(trial.artifact); owner != owners_.end()) {
    end_as_equal(id, owner->second);
    return true;
  }
  const auto [it, first] = live_owners_.try_emplace(trial.artifact, id);
  if (first || it->second == id) return false;
  twins_[it->second].push_back(id);
  return true;
}

// Without machine code to compare the same program with the same arguments is the same.
bool TrialRunner::is_baseline_again(const LiveTrial& trial) {
  const ProposedTrial& proposed = trial.order.trial;
  return proposed.job == JobKind::kExplore && baseline_trial_ && baseline_point_ &&
         proposed.configuration == *baseline_point_;
}

void TrialRunner::end_as_equal(TrialId id, TrialId owner) {
  live_.at(id).evaluated_on.reset();
  end(id, {search::Skipped{owner}, {}});
}

void TrialRunner::release_twins(const LiveTrial& owner, const search::TrialOutcome& outcome) {
  const TrialId id = owner.order.trial.id;
  const auto it = live_owners_.find(owner.artifact);
  if (it == live_owners_.end() || it->second != id) return;
  live_owners_.erase(it);
  const auto node = twins_.extract(id);
  if (node.empty()) return;
  for (const TrialId twin : node.mapped()) {
    if (!std::holds_alternative<search::DeviceLost>(outcome)) {
      end_as_equal(twin, id);
    } else if (const LiveTrial& heir = live_.at(twin); !has_equal_code(heir)) {
      make_ready(heir);
    }
  }
}

}  // namespace nightshift::scheduler
