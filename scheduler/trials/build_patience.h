#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <variant>

#include "scheduler/trials/patience.h"
#include "search/id.h"
#include "search/problem/limits.h"
#include "search/trial.h"

namespace nightshift::scheduler {

// How long builds under way may take besides limits.build, and by which limit one ended.
class BuildPatience {
 public:
  // `budget`: seconds; 0: none. The limits outlive it.
  BuildPatience(const search::Limits& limits, double budget) : limits_(limits), budget_(budget) {}

  // A build that TRIAL asked for begins: of a candidate as patient as with the slowest one so far,
  // of what all trials need as `needed` says.
  const Patience& begin(search::TrialId trial, bool is_candidate, const Patience& needed) {
    return under_way_[trial] = is_candidate ? of_candidate() : needed;
  }
  void ended(search::TrialId trial) { under_way_.erase(trial); }
  void candidate_took(double seconds) { slowest_ = std::max(slowest_.value_or(0), seconds); }

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
  Patience of_candidate() const {
    return slowest_ ? patience_with_build(limits_, *slowest_)
                    : patience_with_first_build(limits_, budget_);
  }

  const search::Limits& limits_;
  double budget_;
  std::map<search::TrialId, Patience> under_way_;
  std::optional<double> slowest_;  // seconds, of a candidate that was built
};

}  // namespace nightshift::scheduler
