#pragma once

#include <algorithm>
#include <map>
#include <variant>

#include "scheduler/trials/patience.h"
#include "search/id.h"
#include "search/problem/limits.h"
#include "search/trial.h"

namespace nightshift::scheduler {

// How long builds under way may take besides limits.build, and by which limit one ended.
class BuildPatience {
 public:
  explicit BuildPatience(const search::Limits& limits) : limits_(limits) {}  // outlive it

  // A build that TRIAL asked for begins: of a candidate as patient as with the slowest one so far,
  // of what all trials need as `needed` says.
  const Patience& begin(search::TrialId trial, bool is_candidate, const Patience& needed) {
    return under_way_[trial] = is_candidate ? patience_with_build(limits_, slowest_) : needed;
  }
  void ended(search::TrialId trial) { under_way_.erase(trial); }
  void candidate_took(double seconds) { slowest_ = std::max(slowest_, seconds); }

  // Says in an outcome of that build that it ended by this patience, where it did. Before ended().
  void explain(search::TrialId trial, search::TrialOutcome& outcome) const {
    auto* const late = std::get_if<search::TimedOut>(&outcome);
    const auto found = under_way_.find(trial);
    if (late == nullptr || found == under_way_.end()) return;
    const Patience& patience = found->second;
    if (patience.seconds <= 0 || late->limit_seconds != patience.seconds) return;
    late->message += (late->message.empty() ? "" : "; ") + patience.why;
    late->out_of_budget = patience.left > 0;
  }

 private:
  const search::Limits& limits_;
  std::map<search::TrialId, Patience> under_way_;
  double slowest_ = 0;  // seconds, of a candidate that was built
};

}  // namespace nightshift::scheduler
