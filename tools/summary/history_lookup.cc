#include "tools/summary/history_lookup.h"

#include <variant>

#include "search/trial.h"

namespace nightshift::tools {

using scheduler::History;
using scheduler::TrialRecord;

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
