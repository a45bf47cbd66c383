#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "scheduler/journal/journal.h"
#include "search/objective.h"

namespace nightshift::scheduler {

struct StateChange {
  TrialState state = TrialState::kProposed;
  std::uint32_t attempt = 0;
  std::string device;
  std::string detail;
  double at = 0;
};

// Everything the journal knows about one trial.
struct TrialRecord {
  ProposedTrial proposed;
  std::optional<FinishedTrial> finished;  // absent: it was in flight when the run ended
  std::vector<StateChange> changes;       // filled by load_history(.., Detail::kFull) only
  double proposed_at = 0;                 // Unix seconds
  // Of one without an end: earlier runs that died while it was in hand, see deaths_with().
  std::uint32_t deaths = 0;
};

// What remarks are called that tell of a Notice (worker_pool.h).
inline constexpr std::string_view kNoticeRemark = "notice";
// In a notice: what befell the trial befalls others, so that a study says it once.
inline constexpr std::string_view kEachLikeItFails = " and each one like it fails: ";
// What remarks are called that say why a device left the study.
inline constexpr std::string_view kQuarantineRemark = "quarantine";

// What remarks are called that add to the identity of the study, or say what became of a part of
// it; their detail is identity_remark().
inline constexpr std::string_view kIdentityRemark = "made of";

struct Remark {
  std::string what;
  std::string detail;
  double at = 0;
};

// The order in which things happened, so that a run can be repeated from it.
struct ProposedEvent {
  std::size_t trial;
};  // position in History::trials
struct FinishedEvent {
  std::size_t trial;
};
struct VerdictEvent {
  std::size_t verdict;
};  // position in History::verdicts
struct OpenedEvent {
  std::size_t confirmation;
};  // position in History::confirmations
using HistoryEvent = std::variant<ProposedEvent, FinishedEvent, VerdictEvent, OpenedEvent>;

struct History {
  StudyHeader header;
  std::vector<search::Objective> objectives;
  std::vector<TrialRecord> trials;  // by id
  std::vector<ConfirmationSetup> confirmations;
  std::vector<ConfirmationVerdict> verdicts;
  std::vector<HistoryEvent> events;
  std::vector<Remark> remarks;
  std::string status;  // of the last run; "running" while it runs, and when it was killed
  // The process that writes the study, "4711 on node7", where it did when this was read.
  std::optional<std::string> writer;
  std::string status_reason;
  double run_seconds = 0;  // wall time of all runs
  int runs = 0;
  int deaths = 0;  // of runs before the last one, which have not said how they ended
};

// From the start of a run to that of the next one, Unix seconds.
struct RunSpan {
  double from = 0;
  double until = 0;
};
// In how many of these runs, which died, the trial was being built or evaluated at the end, by its
// steps in order. Beyond two of an exploration only those count in which it came as a suspect
// (trials/retry.h), which its first step there says: then nothing else can have been the cause.
std::uint32_t deaths_with(search::JobKind job, const std::vector<StateChange>& changes,
                          const std::vector<RunSpan>& died);

std::string identity_remark(const search::IdentityPart& part);
// What the study is made of, as it was known last; empty where an earlier version has not kept it.
search::Identity identity_of(const History& history);

// Gives each objective without a unit the one that the study's program told.
void take_told_units(std::vector<search::Objective>& objectives, const History& history);

// The node of a device, by its key (Device::key()).
std::string node_of(const std::string& device);
// nullptr where there is no such trial.
const TrialRecord* find_trial(const History& history, search::TrialId id);
// nullptr where there is no such confirmation: their ids count from 1 in the order of opening.
inline const ConfirmationSetup* find_confirmation(const History& history,
                                                  search::ConfirmationId id) {
  const bool known = id.value > 0 && id.value <= history.confirmations.size();
  return known ? &history.confirmations[id.value - 1] : nullptr;
}

// What the trial itself measured; nullptr where it failed or is not finished.
inline const search::Measurement* measurement_of(const TrialRecord& trial) {
  if (!trial.finished) return nullptr;
  const auto* measured = std::get_if<search::Measured>(&trial.finished->report.outcome);
  return measured == nullptr ? nullptr : &measured->measurement;
}

// Whether a candidate failed, or went beyond a limit, in an evaluation of a confirmation. The
// baseline of a self-test, which has no candidate, is none.
inline bool failed_when_confirmed(const TrialRecord& trial) {
  const bool is_candidate = trial.proposed.job == search::JobKind::kConfirm &&
                            trial.proposed.arm == Arm::kCandidate &&
                            trial.proposed.candidate.value > 0;
  if (!is_candidate || !trial.finished) return false;
  const search::TrialOutcome& outcome = trial.finished->report.outcome;
  if (search::is_blameless(outcome)) return false;
  return search::is_failure(outcome) || !trial.finished->beyond_limits.empty();
}

}  // namespace nightshift::scheduler
