#include "tools/report/history_lookup.h"

#include <algorithm>
#include <variant>

#include "search/trial.h"

namespace nightshift::tools {

using scheduler::History;
using scheduler::TrialRecord;

const TrialRecord* find_trial(const History& history, search::TrialId id) {
  const auto at = std::lower_bound(
      history.trials.begin(), history.trials.end(), id,
      [](const TrialRecord& trial, search::TrialId wanted) { return trial.proposed.id < wanted; });
  return at != history.trials.end() && at->proposed.id == id ? &*at : nullptr;
}

const TrialRecord& speaker_for(const History& history, const TrialRecord& trial) {
  const auto* skipped = std::get_if<search::Skipped>(&trial.finished->report.outcome);
  const TrialRecord* twin = skipped == nullptr ? nullptr : find_trial(history, skipped->same_as);
  return twin != nullptr && twin->finished ? *twin : trial;
}

const search::Measurement* measurement_of(const History& history, const TrialRecord& trial) {
  if (!trial.finished) return nullptr;
  return scheduler::measurement_of(speaker_for(history, trial));
}

}  // namespace nightshift::tools
