#pragma once

#include <cstddef>
#include <optional>

#include "scheduler/trials/live_trial.h"
#include "search/id.h"

namespace nightshift::scheduler {

// The suspects (retry.h) that have no end yet: what is measured alone on its node, and where runs
// died with it alone in the whole study. One of those is built alone as well.
class Suspects {
 public:
  void add(LiveTrial& trial, bool ended_runs) {
    trial.suspect = true;
    trial.ended_runs = ended_runs;
    ++count_;
    if (ended_runs) ++of_runs_;
  }
  // It has ended, or is left to a later run.
  void acquit(const LiveTrial& trial) {
    if (!trial.suspect) return;
    --count_;
    if (trial.ended_runs) --of_runs_;
    was_built(trial.order.trial.id);
  }
  std::size_t count() const { return count_; }
  bool any() const { return count_ > 0; }
  bool any_of_runs() const { return of_runs_ > 0; }

  void build_alone(search::TrialId trial) { built_alone_ = trial; }
  void was_built(search::TrialId trial) {
    if (built_alone_ == trial) built_alone_.reset();
  }
  bool any_built_alone() const { return built_alone_.has_value(); }

 private:
  std::size_t count_ = 0, of_runs_ = 0;
  std::optional<search::TrialId> built_alone_;
};

}  // namespace nightshift::scheduler
