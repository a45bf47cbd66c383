#pragma once

#include <variant>

#include "scheduler/journal/history.h"
#include "scheduler/journal/journal.h"

namespace nightshift::scheduler {

// What happens to a study, in the order of its journal. Whoever knows what stands of a study is a
// fold over these, in the run in which they happen and in those that repeat it: StudyPlan,
// StatusBoard. They point to what is the sender's.
struct TrialProposed {
  const ProposedTrial& trial;
};
struct TrialFinished {
  const ProposedTrial& trial;
  const FinishedTrial& result;
};
struct ConfirmationOpened {
  const ConfirmationSetup& setup;
  double run_seconds = 0;  // of all runs, until then
};
struct ConfirmationConcluded {
  const ConfirmationSetup& setup;
  const ConfirmationVerdict& verdict;
};
using StudyEvent =
    std::variant<TrialProposed, TrialFinished, ConfirmationOpened, ConfirmationConcluded>;

// What an earlier run's event was. Of when a confirmation was opened the journal knows no more than
// how long all runs have taken.
inline StudyEvent event_of(const History& history, const HistoryEvent& event) {
  if (const auto* proposed = std::get_if<ProposedEvent>(&event)) {
    return TrialProposed{history.trials[proposed->trial].proposed};
  }
  if (const auto* finished = std::get_if<FinishedEvent>(&event)) {
    const TrialRecord& record = history.trials[finished->trial];
    return TrialFinished{record.proposed, *record.finished};
  }
  if (const auto* opened = std::get_if<OpenedEvent>(&event)) {
    return ConfirmationOpened{history.confirmations[opened->confirmation], history.run_seconds};
  }
  static const ConfirmationSetup kUnknown;
  const ConfirmationVerdict& verdict = history.verdicts[std::get<VerdictEvent>(event).verdict];
  const ConfirmationSetup* setup = find_confirmation(history, verdict.id);
  return ConfirmationConcluded{setup == nullptr ? kUnknown : *setup, verdict};
}

}  // namespace nightshift::scheduler
