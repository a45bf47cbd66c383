#pragma once

#include <optional>

#include "scheduler/journal/history.h"
#include "scheduler/trials/baselines.h"
#include "search/problem.h"
#include "search/scoring.h"

namespace nightshift::scheduler {

// The scores of explorations as all of a study's baselines tell them, those of duels and self-tests
// among them. A trial's own score is relative to what was known when it ended: where the machine was
// busy while the first baseline was measured, everything before the next looks better by as much.
class ExploredScores {
 public:
  ExploredScores(const History& history, const search::Problem& problem);

  // Of a trial that was measured; nullopt where it has no score of its own. It is that where no
  // confirmation has measured the baseline.
  std::optional<search::Score> of(const TrialRecord& exploration) const;

 private:
  Baselines baselines_;
  bool confirmations_measured_ = false;
};

}  // namespace nightshift::scheduler
