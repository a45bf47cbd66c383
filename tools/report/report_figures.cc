#include "tools/report/report_figures.h"

#include <utility>
#include <variant>

#include "base/overloaded.h"
#include "search/trial.h"
#include "tools/summary/history_lookup.h"

namespace nightshift::tools {

using scheduler::History;
using scheduler::TrialRecord;
using search::JobKind;

namespace {

void fold_verdict(const History& history, const scheduler::ConfirmationVerdict& verdict,
                  Convergence& told) {
  const scheduler::ConfirmationSetup* setup = scheduler::find_confirmation(history, verdict.id);
  const bool duel = setup == nullptr || setup->purpose == scheduler::Purpose::kDuel;
  if (!duel || !search::is_accepted(verdict.verdict)) return;
  const TrialRecord* winner = find_trial(history, verdict.candidate);
  if (winner == nullptr || !winner->finished || !winner->finished->normalised) return;
  told.accepted.push_back({told.ended.size(), winner->finished->normalised->value});
}

// Of the last hold-out.
std::optional<Convergence::Confirmed> confirmed_in(const History& history) {
  std::optional<Convergence::Confirmed> confirmed;
  for (const scheduler::ConfirmationVerdict& verdict : history.verdicts) {
    const scheduler::ConfirmationSetup* setup = scheduler::find_confirmation(history, verdict.id);
    if (setup == nullptr || setup->purpose != scheduler::Purpose::kHoldOut) continue;
    confirmed.reset();
    if (!search::is_accepted(verdict.verdict)) continue;
    confirmed = {verdict.candidate.value, verdict.verdict.ratio, verdict.verdict.interval};
  }
  return confirmed;
}

void fold_end(const TrialRecord& trial, Convergence& told) {
  const scheduler::ProposedTrial& proposed = trial.proposed;
  const bool explored = proposed.job == JobKind::kExplore && !scheduler::is_of_finishing(proposed);
  if (!explored || !trial.finished) return;
  Convergence::Ended ended;
  if (trial.finished->normalised) ended.score = trial.finished->normalised->value;
  ended.failed = search::is_failure(trial.finished->report.outcome);
  if (!told.ended.empty()) {
    ended.best = told.ended.back().best;
    ended.best_trial = told.ended.back().best_trial;
  }
  if (ended.score && (!ended.best || *ended.score < *ended.best)) {
    ended.best = ended.score;
    ended.best_trial = proposed.id.value;
  }
  told.ended.push_back(ended);
}

}  // namespace

Convergence convergence_of(const History& history) {
  Convergence told;
  told.confirmed = confirmed_in(history);
  for (const scheduler::HistoryEvent& event : history.events) {
    std::visit(base::Overloaded{
                   [](const scheduler::ProposedEvent&) {},
                   [&](const scheduler::FinishedEvent& finished) {
                     fold_end(history.trials[finished.trial], told);
                   },
                   [](const scheduler::OpenedEvent&) {},
                   [&](const scheduler::VerdictEvent& judged) {
                     fold_verdict(history, history.verdicts[judged.verdict], told);
                   },
               },
               event);
  }
  return told;
}

std::map<std::string, FailureKind> failures_of(const History& history) {
  std::map<std::string, FailureKind> kinds;
  for (const TrialRecord& trial : history.trials) {
    if (!trial.finished || !search::is_failure(trial.finished->report.outcome)) continue;
    FailureKind& kind = kinds[std::string(search::status_name(trial.finished->report.outcome))];
    if (kind.count++ == 0) kind.example = &trial;
  }
  return kinds;
}

FailureKind beyond_limits_of(const History& history) {
  FailureKind kind;
  for (const TrialRecord& trial : history.trials) {
    const bool explored = trial.finished && trial.proposed.job == JobKind::kExplore;
    if (!explored || trial.finished->beyond_limits.empty()) continue;
    if (kind.count++ == 0) kind.example = &trial;
  }
  return kind;
}

std::vector<double> DeviceFacts::references() const {
  std::vector<double> values;
  for (const Baseline& b : baselines) {
    if (b.reference) values.push_back(b.value);
  }
  return values;
}

std::optional<double> DeviceFacts::drift() const {
  const std::vector<double> values = references();
  if (values.size() < 2 || values.front() == 0) return std::nullopt;
  return values.back() / values.front() - 1;
}

std::map<std::string, DeviceFacts> devices_of(const History& history) {
  std::map<std::string, DeviceFacts> devices;
  for (const TrialRecord& trial : history.trials) {
    if (!trial.finished || trial.finished->device.empty()) continue;
    DeviceFacts& device = devices[trial.finished->device];
    ++device.trials;
    device.busy += trial.finished->report.cost.check + trial.finished->report.cost.measure;
    const JobKind job = trial.proposed.job;
    const bool reference = job == JobKind::kBaseline || job == JobKind::kRebaseline;
    const bool visited = trial.proposed.arm == scheduler::Arm::kBaseline;
    if (!trial.finished->value || !(reference || visited)) continue;
    device.baselines.push_back(
        {scheduler::middle_of(*trial.finished), *trial.finished->value, reference});
  }
  return devices;
}

}  // namespace nightshift::tools
