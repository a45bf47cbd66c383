#include "scheduler/summary/explored_scores.h"

#include <algorithm>
#include <vector>

namespace nightshift::scheduler {
namespace {

bool measured_baseline(const TrialRecord& record) {
  const ProposedTrial& trial = record.proposed;
  if (!trial.configuration.is_baseline() || measurement_of(record) == nullptr) return false;
  return search::is_baseline(trial.job) || trial.arm == Arm::kBaseline;
}

}  // namespace

ExploredScores::ExploredScores(const History& history, const search::Problem& problem)
    : baselines_(problem, Baselines::kAll) {
  std::vector<const TrialRecord*> measured;
  for (const TrialRecord& record : history.trials) {
    if (!measured_baseline(record)) continue;
    measured.push_back(&record);
    confirmations_measured_ |= record.proposed.confirmation.value != 0;
  }
  if (!confirmations_measured_) return;
  std::ranges::stable_sort(measured, {},
                           [](const TrialRecord* record) { return middle_of(*record->finished); });
  for (const TrialRecord* record : measured) {
    const auto figures = baselines_.scoring().figures_of(*measurement_of(*record));
    if (!figures) continue;
    baselines_.record(record->finished->device, *figures, middle_of(*record->finished));
  }
}

std::optional<search::Score> ExploredScores::of(const TrialRecord& exploration) const {
  const FinishedTrial& trial = *exploration.finished;
  if (!trial.normalised || !confirmations_measured_) return trial.normalised;
  const auto figures = baselines_.scoring().figures_of(*measurement_of(exploration));
  if (!figures) return trial.normalised;
  const auto score = baselines_.score(trial.device, *figures, middle_of(trial));
  return score ? score : trial.normalised;
}

}  // namespace nightshift::scheduler
