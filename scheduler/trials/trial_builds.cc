// What trials need is built once, ahead of the devices: the part of TrialRunner that asks for builds,
// runs them, and builds anew what was damaged.
#include <variant>

#include "scheduler/trials/trial_runner.h"

namespace nightshift::scheduler {

using search::TrialId;

BuildKey TrialRunner::key_of(std::optional<search::ConfigurationIndex> index) {
  if (!index) return {BuildKey::Kind::kBaseline, {}};
  return {BuildKey::Kind::kCandidate, *index};
}

// Every answer is checked against the reference, or where the problem has none, against the
// baseline.
BuildKey TrialRunner::reference_key() const {
  const bool given = search::has_reference(parts_.problem);
  return {given ? BuildKey::Kind::kReference : BuildKey::Kind::kBaseline, {}};
}

std::string TrialRunner::reference_artifact() const {
  const ipc::Artifact* artifact = builds_.find(reference_key());
  return artifact == nullptr ? "" : artifact->hash;
}

std::optional<BuildKey> TrialRunner::missing_build(const LiveTrial& trial) const {
  for (const BuildKey& key : {reference_key(), key_of(trial.order.trial.index)}) {
    if (builds_.find(key) == nullptr) return key;
  }
  const BuildKey baseline = key_of(std::nullopt);
  if (trial.order.ahead_of_device && builds_.find(baseline) == nullptr) return baseline;
  return std::nullopt;
}

// What it needs is gone or is not what its name says: that is built again, once for each trial, and
// the attempt counts for nothing.
bool TrialRunner::build_anew(LiveTrial& trial, const JobEnded& end, const std::string& device) {
  if (end.damaged.empty() || !trial.rebuilt.insert(end.damaged).second) return false;
  bool can_build = false;
  for (const BuildKey& key : {reference_key(), key_of(trial.order.trial.index)}) {
    can_build = builds_.lose(key, end.damaged) || can_build;
  }
  if (!can_build) return false;
  trial.evaluated_on.reset();
  const TrialId id = trial.order.trial.id;
  parts_.log.step(id, TrialState::kRetry, trial.attempt, device,
                  search::describe(end.report.outcome) + "; it is built again");
  prepare(id);
  return true;
}

void TrialRunner::start_builds(const Patience& needed) {
  while (parts_.pool.can_build() && may_build()) {
    const auto order = builds_.next();
    if (!order) return;
    const auto requester = live_.find(order->trial);
    if (requester == live_.end()) {
      drop_build(order->trial);
      continue;
    }
    ipc::BuildRequest request;
    if (order->key.kind == BuildKey::Kind::kReference) {
      request.target = ipc::BuildTarget::kReference;
    } else if (order->key.kind == BuildKey::Kind::kCandidate) {
      request.configuration = requester->second.order.trial.configuration;
    }
    const bool is_candidate = order->key.kind == BuildKey::Kind::kCandidate;
    request.patience = with_builds_.begin(order->trial, is_candidate, needed).seconds;
    const std::uint32_t attempt = requester->second.attempt;
    parts_.log.step(order->trial, TrialState::kBuilding, attempt, "", "");
    parts_.pool.start({order->trial, attempt, 0, false, std::move(request)});
  }
}

void TrialRunner::built(const JobEnded& end) {
  if (!end.artifact || !builds_.disturbance(end.trial).empty()) return not_built(end);
  with_builds_.ended(end.trial);
  const BuildQueue::Ended ended = builds_.built(end.trial, *end.artifact);
  if (ended.key.kind == BuildKey::Kind::kCandidate) {
    with_builds_.candidate_took(end.report.cost.build);
  }
  parts_.log.step(end.trial, TrialState::kBuilt, end.attempt, "", end.artifact->hash);
  for (const TrialId id : ended.waiting) {
    const auto it = live_.find(id);
    if (it == live_.end()) continue;
    if (id == end.trial) it->second.build_seconds += end.report.cost.build;
    prepare(id);
  }
}

// Whoever asked for the build is gone; the others that wait ask again.
void TrialRunner::drop_build(TrialId requester) {
  for (const TrialId id : builds_.failed(requester).waiting) {
    if (live_.contains(id)) prepare(id);
  }
}

void TrialRunner::disturb(const std::string& why) {
  for (auto& [id, trial] : live_) {
    if (trial.evaluating) trial.disturbance = why;
  }
  builds_.disturb(why);
}

// It failed, or counts for nothing.
void TrialRunner::not_built(const JobEnded& end) {
  search::TrialOutcome outcome = end.report.outcome;
  with_builds_.explain(end.trial, outcome);
  with_builds_.ended(end.trial);
  const auto it = live_.find(end.trial);
  if (it == live_.end()) return drop_build(end.trial);
  LiveTrial& requester = it->second;
  const bool lost = std::holds_alternative<search::DeviceLost>(outcome);
  if (lost) ++requester.build_losses;
  const bool ran_out = search::ran_out_of_budget(outcome);
  const std::string disturbance = builds_.disturbance(end.trial);
  // A build that is lost says nothing against what was built.
  const auto how = retry_after(
      outcome, {requester.order.trial.job, requester.attempt, requester.build_losses,
                end.fresh_process, end.killed_by_others, ran_out, !disturbance.empty()});
  if (how != Retry::kNone) {
    if (how != Retry::kAsNew) ++requester.attempt;
    parts_.log.step(end.trial, TrialState::kRetry, requester.attempt, "",
                    how == Retry::kAsNew ? disturbance : search::describe(outcome));
    builds_.again(end.trial);
    return;
  }
  requester.build_seconds += end.report.cost.build;
  const BuildQueue::Ended ended = builds_.failed(end.trial);
  if (ended.key.kind != BuildKey::Kind::kCandidate) failed_build_ = {ended.key, outcome};
  for (const TrialId id : ended.waiting) {
    if (live_.contains(id)) this->end(id, {outcome, {}});
  }
}

}  // namespace nightshift::scheduler
