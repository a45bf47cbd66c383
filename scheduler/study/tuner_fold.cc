#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "scheduler/errors.h"
#include "scheduler/study/report_check.h"
#include "scheduler/study/retry.h"
#include "scheduler/study/tuner_impl.h"
#include "search/statistics/summary.h"

namespace nightshift::scheduler {

using search::JobKind;
using search::TrialId;

namespace {
constexpr std::chrono::seconds kInterruptGrace{10};  // for measurements in flight
}  // namespace

void Tuner::Impl::handle(const PoolEvent& event) {
  std::visit([this](const auto& e) { on(e); }, event);
}

void Tuner::Impl::on(const MeasureDone& done) {
  const auto it = live_.find(done.trial);
  if (it == live_.end()) return;
  LiveTrial& trial = it->second;
  trial.measuring_on.reset();
  --measuring_;
  DeviceStatus& shown = state_.status().devices[done.device];
  if (shown.state == DeviceStatus::State::kMeasuring) shown.state = DeviceStatus::State::kIdle;
  search::TrialReport report = checked(done.report, state_.baselines().scoring());
  const JobKind job = trial.proposed.job;
  const bool bound = !trial.proposed.device.empty();
  const Attempt attempt{job, trial.attempt, done.fresh_process, done.killed_by_others};
  if (deserves_retry(report.outcome, attempt) && (!bound || care_.in_service(done.device))) {
    const std::string why = search::describe(report.outcome);
    ++trial.attempt;
    trial.wants_fresh_process = true;
    parts_.journal.note(done.trial, TrialState::kRetry, trial.attempt, shown.device.key(), why,
                        parts_.clock.unix_seconds());
    parts_.observer.remark(
        fmt::format("trial {} is tried again in a fresh process: {}", done.trial.value, why),
        state_.status());
    make_ready(trial);
    return;
  }
  const search::TrialOutcome outcome = report.outcome;
  const bool is_baseline = job == JobKind::kRebaseline || trial.proposed.arm == Arm::kBaseline;
  if (job == JobKind::kConfirm || job == JobKind::kBaseline || job == JobKind::kRebaseline) {
    evaluation_seconds_ += parts_.clock.unix_seconds() - trial.started;
    ++evaluations_;
  }
  ++shown.trials;
  finish(done.trial, std::move(report), shown.device.key());
  if (job != JobKind::kBaseline && job != JobKind::kRebaseline) {
    care_.trial_finished(done.device, outcome);
  } else if (search::is_failure(outcome)) {
    baseline_failed(done.device, outcome);
  } else {
    care_.baseline_succeeded(done.device, parts_.clock.now());
    shown.baseline = state_.baselines().value(shown.device.key());
  }
  if (is_baseline && !search::is_failure(outcome)) watch_level(done.device);
}

void Tuner::Impl::watch_level(DeviceIndex device) {
  const std::string& key = parts_.pool.devices()[device].key();
  const auto value = state_.baselines().value(key);
  if (!value || !(*value > 0) || !care_.drifted(device, std::log(*value))) return;
  remark("drift",
         fmt::format("the baseline on {} has moved to {:.4g} {}: it is measured again, and "
                     "scores between the two are interpolated",
                     key, *value, state_.baselines().scoring().primary().unit));
}

void Tuner::Impl::on(const BuildDone& done) {
  if (const auto* outcome = std::get_if<search::TrialOutcome>(&done.result)) {
    build_failed(done, *outcome);
    return;
  }
  const auto& artifact = std::get<ipc::Artifact>(done.result);
  const BuildQueue::Ended ended = builds_.built(done.trial, artifact);
  parts_.journal.note(done.trial, TrialState::kBuilt, done.attempt, "", artifact.hash,
                      parts_.clock.unix_seconds());
  for (const TrialId id : ended.waiting) {
    const auto it = live_.find(id);
    if (it == live_.end()) continue;
    if (id == done.trial) it->second.build_seconds += done.seconds;
    prepare(id);
  }
}

// Whoever asked for the build is gone; the others that wait ask again.
void Tuner::Impl::drop_build(TrialId requester) {
  for (const TrialId id : builds_.failed(requester).waiting) {
    if (live_.contains(id)) prepare(id);
  }
}

void Tuner::Impl::build_failed(const BuildDone& done, const search::TrialOutcome& outcome) {
  const auto it = live_.find(done.trial);
  if (it == live_.end()) {
    drop_build(done.trial);
    return;
  }
  LiveTrial& requester = it->second;
  const Attempt attempt{requester.proposed.job, requester.attempt, done.fresh_process,
                        done.killed_by_others};
  if (deserves_retry(outcome, attempt)) {
    ++requester.attempt;
    parts_.journal.note(done.trial, TrialState::kRetry, requester.attempt, "",
                        search::describe(outcome), parts_.clock.unix_seconds());
    builds_.again(done.trial);
    return;
  }
  requester.build_seconds += done.seconds;
  const BuildQueue::Ended ended = builds_.failed(done.trial);
  for (const TrialId id : ended.waiting) {
    if (live_.contains(id)) finish(id, {outcome, {}}, live_.at(id).proposed.device);
  }
  if (ended.key.kind == BuildKey::Kind::kCandidate) return;
  throw StudyError(fmt::format(
      "the {} could not be built: {}\nNothing can be {} without it; mend it and start a new study",
      ended.key.kind == BuildKey::Kind::kReference ? "reference" : "baseline",
      search::describe(outcome),
      ended.key.kind == BuildKey::Kind::kReference ? "checked" : "compared"));
}

// True when another trial with the same artifact answers for this one, now or when it ends.
bool Tuner::Impl::speaks_for(LiveTrial& trial) {
  const TrialId id = trial.proposed.id;
  if (const auto owner = state_.owner_of(trial.artifact.hash)) {
    finish_as_twin(id, *owner);
    return true;
  }
  const auto [it, first] = live_owners_.try_emplace(trial.artifact.hash, id);
  if (first || it->second == id) return false;
  twins_[it->second].push_back(id);
  return true;
}

void Tuner::Impl::finish_as_twin(TrialId id, TrialId owner) {
  finish(id, {search::Skipped{owner}, {}}, "");
}

void Tuner::Impl::finish(TrialId id, search::TrialReport report, const std::string& device) {
  const auto node = live_.extract(id);
  const LiveTrial& trial = node.mapped();
  FinishedTrial result;
  result.id = id;
  result.report = std::move(report);
  result.report.cost.build += trial.build_seconds;
  result.attempts = trial.attempt;
  result.device = device;
  result.artifact = trial.artifact.hash;
  result.finished = parts_.clock.unix_seconds();
  result.started = trial.started > 0 ? trial.started : result.finished;
  if (const auto* measured = std::get_if<search::Measured>(&result.report.outcome)) {
    const search::Scoring& scoring = state_.baselines().scoring();
    const search::Figures figures = scoring.figures_of(measured->measurement).value();
    result.value = figures[scoring.primary_position()].value;
    result.beyond_limits = scoring.beyond_limits(figures);
    if (!result.beyond_limits.empty()) {
      result.normalised = std::nullopt;
    } else if (trial.proposed.job == JobKind::kBaseline) {
      result.normalised = scoring.score(figures, search::exactly(figures));
    } else {
      const double middle = middle_of(result);
      result.normalised = state_.baselines().score(device, figures, middle);
    }
  } else if (const auto* twin = std::get_if<search::Skipped>(&result.report.outcome)) {
    result.normalised = state_.score_of(twin->same_as);
  }
  parts_.journal.finish(result);
  state_.finished(trial.proposed, result);
  lookahead_.learn(result.report.cost);
  if (trial.proposed.job == JobKind::kExplore) {
    release_twins(trial, result.report.outcome);
    if (builds_needed_ && !state_.confirmations().awaits(id))
      builds_.forget(own_key(trial.proposed));
  }
  parts_.observer.trial_finished(trial.proposed, result, state_.status());
}

void Tuner::Impl::release_twins(const LiveTrial& owner, const search::TrialOutcome& outcome) {
  const TrialId id = owner.proposed.id;
  const auto it = live_owners_.find(owner.artifact.hash);
  if (it == live_owners_.end() || it->second != id) return;
  live_owners_.erase(it);
  const auto node = twins_.extract(id);
  if (node.empty()) return;
  for (const TrialId twin : node.mapped()) {
    if (!std::holds_alternative<search::DeviceLost>(outcome)) {
      finish_as_twin(twin, id);
    } else if (LiveTrial& heir = live_.at(twin); !speaks_for(heir)) {
      make_ready(heir);
    }
  }
}

void Tuner::Impl::baseline_failed(DeviceIndex device, const search::TrialOutcome& outcome) {
  quarantine(device, fmt::format("the baseline failed on {}: {}",
                                 parts_.pool.devices()[device].key(), search::describe(outcome)));
}

void Tuner::Impl::quarantine(DeviceIndex device, const std::string& reason) {
  if (!care_.in_service(device)) return;
  const std::string key = parts_.pool.devices()[device].key();
  care_.retire(device);
  parts_.pool.retire(device, reason);
  state_.status().devices[device].state = DeviceStatus::State::kQuarantined;
  quarantine_reasons_.push_back(reason);
  remark("quarantine", reason);
  announce();
  state_.expire(key);
  if (Confirmation* confirmation = state_.confirmations().current()) confirmation->drop(key);
  queue_.withdraw(key);
  std::vector<TrialId> stranded;
  for (const auto& [id, trial] : live_) {
    if (trial.proposed.device == key && !trial.measuring_on) stranded.push_back(id);
  }
  std::sort(stranded.begin(), stranded.end());
  for (const TrialId id : stranded) finish(id, {search::DeviceLost{reason}, {}}, key);
  if (care_.any_in_service()) return;
  std::string message = "no device is left:";
  for (const std::string& r : quarantine_reasons_) message += "\n  " + r;
  throw StudyError(message);
}

void Tuner::Impl::on(const DeviceFailed& failed) {
  quarantine(failed.device, fmt::format("{} cannot be used: {}",
                                        parts_.pool.devices()[failed.device].key(), failed.reason));
}

void Tuner::Impl::on(const DeviceJoined& joined) {
  while (care_.size() <= joined.device) {
    care_.add(state_.baselines().has(parts_.pool.devices()[care_.size()].key()));
  }
  announce();
}

void Tuner::Impl::on(const Interrupted& interrupted) {
  if (interrupts_ == 0) {
    grace_end_ = parts_.clock.now() + kInterruptGrace;
    remark("interrupt",
           "stopping: measurements in flight may finish; another signal stops at once");
  }
  interrupts_ = std::max(interrupts_ + 1, interrupted.count);
}

void Tuner::Impl::conclude() {
  const Confirmation& confirmation = *state_.confirmations().current();
  const ConfirmationSetup setup = confirmation.setup();
  const ConfirmationVerdict verdict{setup.id, setup.candidate, *confirmation.verdict()};
  const auto before = state_.incumbent();
  parts_.journal.verdict(verdict, parts_.clock.unix_seconds());
  state_.concluded(verdict);
  parts_.journal.commit_durably();
  if (setup.purpose == Purpose::kDuel) {
    const auto candidate = state_.index_of(setup.candidate);
    const auto loser = search::is_accepted(verdict.verdict) ? before : candidate;
    if (builds_needed_ && loser && !state_.confirmations().awaits(setup.candidate)) {
      builds_.forget({BuildKey::Kind::kCandidate, *loser});
    }
  }
  parts_.observer.verdict_reached(setup, verdict, state_.status());
  const std::string& distrust = state_.confirmations().distrust();
  if (!distrust.empty() && setup.purpose != Purpose::kDuel) {
    remark("distrust", "nothing is accepted: " + distrust);
  }
}

}  // namespace nightshift::scheduler
