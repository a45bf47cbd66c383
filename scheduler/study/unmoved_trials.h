#pragma once

#include "scheduler/journal/journal.h"
#include "search/unmoved.h"

namespace nightshift::scheduler {

// What a finished trial shows of figures that nothing moves. Of finishing rounds too, which differ
// from the winner in a parameter each.
inline void observe(search::Unmoved& unmoved, const ProposedTrial& trial,
                    const FinishedTrial& result) {
  const search::TrialOutcome& outcome = result.report.outcome;
  const auto* measured = std::get_if<search::Measured>(&outcome);
  const bool is_baseline =
      trial.job == search::JobKind::kBaseline || trial.job == search::JobKind::kRebaseline;
  if (is_baseline && measured != nullptr) {
    unmoved.baseline_measured(trial.id, result.device, measured->measurement);
  }
  if (trial.job != search::JobKind::kExplore) return;
  if (measured != nullptr) {
    unmoved.measured(trial.id, trial.configuration, result.device, measured->measurement);
  } else if (const auto* twin = std::get_if<search::Skipped>(&outcome)) {
    unmoved.skipped(trial.configuration, twin->same_as);
  }
}

}  // namespace nightshift::scheduler
