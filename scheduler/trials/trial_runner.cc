#include "scheduler/trials/trial_runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "scheduler/errors.h"
#include "scheduler/trials/report_check.h"
#include "search/phase_limit.h"
#include "search/problem/runs_by_time.h"

namespace nightshift::scheduler {

using search::JobKind;
using search::TrialId;

TrialRunner::TrialRunner(const Parts& parts)
    : parts_(parts),
      builds_needed_(search::needs_build(parts.problem)),
      doubts_(parts.problem),
      equal_code_(builds_needed_ || search::is_recorded(parts.problem)
                      ? std::nullopt
                      : search::baseline_configuration(parts.problem)),
      with_builds_(parts.problem.limits, parts.problem.budget.seconds) {}

bool TrialRunner::explores() const {
  if (queue_.has(JobKind::kExplore)) return true;
  return in_hand_.any_of(
      [this](TrialId id) { return live_.at(id).order.trial.job == JobKind::kExplore; });
}

std::string TrialRunner::device_key(DeviceIndex device) const {
  return parts_.pool.devices()[device].key();
}

// --- From submission to the queue ---

void TrialRunner::submit(TrialOrder order) {
  const TrialId id = order.trial.id;
  LiveTrial& trial = live_[id];
  trial.order = std::move(order);
  trial.wants_fresh_process = trial.order.fresh_process;
  if (trial.order.deaths > 0) return submit_again(trial);
  prepare(id);
}

void TrialRunner::prepare(TrialId id) {
  LiveTrial& trial = live_.at(id);
  if (builds_needed_) {
    if (const auto key = missing_build(trial)) {
      builds_.request(*key, id);
      return;
    }
    trial.reference = builds_.find(reference_key())->hash;
    const std::string& built = builds_.find(key_of(trial.order.trial.index))->hash;
    // Built anew it may have become something else: it speaks no more for what it was.
    if (!trial.artifact.empty() && built != trial.artifact) {
      release_twins(trial, search::DeviceLost{});
    }
    trial.artifact = built;
    if (trial.order.trial.job == JobKind::kExplore && has_equal_code(trial)) return;
  } else if (const auto baseline = equal_code_.baseline_of(trial.order.trial)) {
    return end_as_equal(id, *baseline);
  }
  if (trial.order.build_only) {
    end(id, {});
  } else {
    make_ready(trial);
  }
}

void TrialRunner::make_ready(const LiveTrial& trial, bool came_back) {
  const ProposedTrial& proposed = trial.order.trial;
  suspects_.was_built(proposed.id);
  if (trial.suspect) return queue_.push_suspect(proposed.id);
  queue_.push(proposed.id, proposed.job, proposed.device, came_back || trial.attempt > 1);
}

std::size_t TrialRunner::abandon_explorations() {
  const std::size_t dropped = std::erase_if(live_, [this](const auto& entry) {
    const LiveTrial& trial = entry.second;
    const bool drop = trial.order.trial.job == JobKind::kExplore && !trial.evaluating;
    if (drop) suspects_.acquit(trial);
    return drop;
  });
  queue_.clear(JobKind::kExplore);
  equal_code_.forget_waiting();
  return dropped;
}

void TrialRunner::withdraw(DeviceIndex device, const std::string& reason) {
  withdrawn_.insert(device_key(device));
  recall(device, reason);
}

void TrialRunner::recall(DeviceIndex device, const std::string& reason) {
  const std::string key = device_key(device);
  queue_.withdraw(key);
  std::vector<TrialId> stranded;
  for (const auto& [id, trial] : live_) {
    if (trial.order.trial.device == key && !trial.evaluating) stranded.push_back(id);
  }
  std::sort(stranded.begin(), stranded.end());
  for (const TrialId id : stranded) end(id, {search::DeviceLost{reason}, {}});
}

// --- Evaluations ---

const ProposedTrial* TrialRunner::start_evaluation(DeviceIndex device,
                                                   std::span<const JobKind> kinds,
                                                   const EvaluationTerms& terms) {
  const auto id = take(device, kinds);
  if (!id) return nullptr;
  LiveTrial& trial = live_.at(*id);
  trial.evaluated_on = device;
  trial.evaluating = true;
  if (in_hand_.give(device, *id)) begin(trial, device);
  parts_.pool.start(job_of(trial, device, terms));
  return &trial.order.trial;
}

void TrialRunner::begin(LiveTrial& trial, DeviceIndex device) {
  trial.last_started = parts_.clock.unix_seconds();
  if (trial.started == 0) trial.started = trial.last_started;
  const TrialId id = trial.order.trial.id;
  parts_.log.step(id, TrialState::kRunning, trial.attempt, device_key(device), "");
}

const ProposedTrial* TrialRunner::at_work(DeviceIndex device) const {
  const auto id = in_hand_.at_work(device);
  return id ? &live_.at(*id).order.trial : nullptr;
}

void TrialRunner::leave(LiveTrial& trial, DeviceIndex device) {
  trial.evaluating = false;
  const auto next = in_hand_.take_back(device, trial.order.trial.id);
  if (next) begin(live_.at(*next), device);
}

Job TrialRunner::job_of(LiveTrial& trial, DeviceIndex device, const EvaluationTerms& terms) {
  const ProposedTrial& proposed = trial.order.trial;
  ipc::EvaluateRequest request;
  request.configuration = proposed.configuration;
  request.artifact = trial.artifact;
  request.reference = trial.reference;
  request.seed = trial.order.seed;
  request.sampling = parts_.problem.sampling;
  trial.doubted = trial.order.doubted || doubts_.doubts(proposed);
  trial.disturbance.clear();
  request.sampling.trust = trial.doubted ? search::Trust::kNone : search::Trust::kUsual;
  trial.patience = terms.comparing;
  if (proposed.job == JobKind::kExplore) {
    request.give_up_above = terms.give_up_above;
    trial.patience = terms.exploring;
  } else {
    // The same number of samples in all that is compared. A first baseline tells that number of a
    // program whose runs go by time.
    const bool tells_runs =
        proposed.job == JobKind::kBaseline && search::has_runs_by_time(parts_.problem);
    if (!tells_runs) request.sampling.precision = 0;
    if (trial.order.samples > 0) request.sampling.samples = trial.order.samples;
    if (proposed.job == JobKind::kBaseline) trial.patience = terms.baseline;
  }
  request.patience = trial.patience.seconds;
  request.left = trial.patience.left;
  return {proposed.id, trial.attempt, device, trial.wants_fresh_process, std::move(request)};
}

void TrialRunner::ended(const JobEnded& end) {
  if (!end.lack.empty()) {
    throw NoRoomError(fmt::format(
        "{}, and what needs some fails\nFree some, then the same command goes on; nothing is held "
        "against a configuration for it",
        end.lack));
  }
  if (end.put_back) {
    put_back(end);
  } else {
    end.was_build() ? built(end) : evaluated(end);
  }
}

// It stays where it is, neither begun nor ended: nothing is started any more.
void TrialRunner::put_back(const JobEnded& end) {
  const auto it = live_.find(end.trial);
  if (end.was_build() || it == live_.end()) return;
  leave(it->second, *end.device);
}

void TrialRunner::evaluated(const JobEnded& end) {
  const auto it = live_.find(end.trial);
  if (it == live_.end()) return;
  LiveTrial& trial = it->second;
  leave(trial, *end.device);
  const std::string key = device_key(*end.device);
  const ProposedTrial& proposed = trial.order.trial;
  const bool can_go_on = proposed.device.empty() || !withdrawn_.contains(key);
  if (end.not_begun && can_go_on) {
    trial.evaluated_on.reset();
    return make_ready(trial, true);
  }
  if (can_go_on && build_anew(trial, end, key)) return;
  search::TrialReport report = checked(end.report, parts_.scoring);
  told_units_.check(report.outcome, parts_.problem.objectives);
  const bool disturbed = !trial.disturbance.empty();
  if (disturbed && !can_go_on) report.outcome = search::DeviceLost{trial.disturbance};
  if (trial.doubted && !disturbed) doubts_.learn(proposed, report.outcome);
  if (ran_out_of_budget(trial, report.outcome)) {
    trial.evaluated_on.reset();
    return make_ready(trial, true);
  }
  auto* const lost = std::get_if<search::DeviceLost>(&report.outcome);
  if (lost != nullptr) ++trial.losses;
  const Attempt attempt{proposed.job,
                        trial.attempt,
                        trial.losses,
                        end.fresh_process || end.fresh_program,
                        end.killed_by_others,
                        is_by_left(trial, report.outcome),
                        disturbed};
  const Retry how = can_go_on ? retry_after(report.outcome, attempt) : Retry::kNone;
  if (how != Retry::kNone) return again(trial, how, report.outcome, key);
  if (lost != nullptr && trial.suspect) {
    lost->reason += "; " + std::to_string(trial.losses) +
                    " devices were lost while they measured it, the last one alone";
  }
  this->end(end.trial, std::move(report), end.fresh_process);
}

// The time that was left of the budget ended it.
bool TrialRunner::is_by_left(const LiveTrial& trial, const search::TrialOutcome& outcome) {
  const auto* const late = std::get_if<search::TimedOut>(&outcome);
  return late != nullptr && trial.patience.left > 0 && late->limit_seconds == trial.patience.left;
}

// Of an exploration that the end of the budget cut off. Of all others that took too long the
// outcome says which limit it was.
bool TrialRunner::ran_out_of_budget(const LiveTrial& trial, search::TrialOutcome& outcome) const {
  auto* const late = std::get_if<search::TimedOut>(&outcome);
  if (late == nullptr) return false;
  const Patience& patience = trial.patience;
  const bool by_left = is_by_left(trial, outcome);
  const JobKind job = trial.order.trial.job;
  late->out_of_budget = by_left && (job == JobKind::kConfirm || job == JobKind::kRebaseline);
  const bool by_patience =
      by_left || (patience.seconds > 0 && late->limit_seconds == patience.seconds);
  const std::string& its_why = by_left ? patience.at_the_end : patience.why;
  if (by_patience && its_why.empty()) return true;
  const std::string key(search::key_of_limit(late->phase, late->limit_seconds, parts_.problem));
  const std::string why = by_patience ? its_why : key.empty() ? "" : "the limit is " + key;
  if (why.empty()) return false;
  late->message += (late->message.empty() ? "" : "; ") + why;
  return false;
}

void TrialRunner::again(LiveTrial& trial, Retry how, const search::TrialOutcome& outcome,
                        const std::string& device) {
  if (how != Retry::kAsNew) ++trial.attempt;
  trial.evaluated_on.reset();
  trial.wants_fresh_process = true;
  std::string why = how == Retry::kAsNew ? trial.disturbance : search::describe(outcome);
  if (how == Retry::kAlone && !trial.suspect) {
    suspects_.add(trial, false);
    why += "; two devices were lost while they measured it, so it comes last, alone on its node";
  }
  parts_.log.step(trial.order.trial.id, TrialState::kRetry, trial.attempt, device, why);
  make_ready(trial, true);
}

void TrialRunner::end(TrialId id, search::TrialReport report, bool fresh_process) {
  const auto node = live_.extract(id);
  const LiveTrial& trial = node.mapped();
  suspects_.acquit(trial);
  TrialEnd end;
  end.trial = trial.order.trial;
  end.report = std::move(report);
  end.building = end.report.cost.build;
  end.report.cost.build += trial.build_seconds;
  end.attempts = trial.attempt;
  end.device = trial.evaluated_on;
  end.artifact = trial.artifact;
  end.fresh_process = fresh_process;
  end.finished = parts_.clock.unix_seconds();
  end.started = trial.started > 0 ? trial.started : end.finished;
  end.last_started = trial.started > 0 ? trial.last_started : end.finished;
  const search::TrialOutcome outcome = end.report.outcome;
  ends_.push_back(std::move(end));
  if (trial.order.trial.job == JobKind::kExplore) release_twins(trial, outcome);
}

// --- Equal machine code: one trial speaks for others ---

void TrialRunner::speaks_for(const std::string& artifact, TrialId trial) {
  const auto other = equal_code_.measured(artifact, trial);
  if (!other) return;
  if (const auto it = live_.find(*other); it == live_.end() || it->second.evaluating) return;
  queue_.withdraw(*other);
  end_as_equal(*other, trial);
}

// True when another trial with the same artifact answers for this one, now or when it ends.
bool TrialRunner::has_equal_code(const LiveTrial& trial) {
  const TrialId id = trial.order.trial.id;
  const EqualCode::Standing standing = equal_code_.enter(trial.artifact, id);
  if (standing.spoken_for) end_as_equal(id, *standing.spoken_for);
  return !standing.is_alone();
}

void TrialRunner::end_as_equal(TrialId id, TrialId owner) {
  live_.at(id).evaluated_on.reset();
  end(id, {search::Skipped{owner}, {}});
}

void TrialRunner::release_twins(const LiveTrial& owner, const search::TrialOutcome& outcome) {
  const TrialId id = owner.order.trial.id;
  for (const TrialId twin : equal_code_.leave(owner.artifact, id)) {
    if (!std::holds_alternative<search::DeviceLost>(outcome)) {
      end_as_equal(twin, id);
    } else if (const LiveTrial& heir = live_.at(twin); !has_equal_code(heir)) {
      make_ready(heir);
    }
  }
}

// --- Suspects (retry.h) ---

// What was in hand when runs died, by the rule for devices that are lost. No device is at fault
// here and no outcome says which run it was, so the count is of runs.
void TrialRunner::submit_again(LiveTrial& trial) {
  const TrialId id = trial.order.trial.id;
  trial.losses = trial.order.deaths;
  const std::string runs = trial.losses == 1 ? "the run" : std::to_string(trial.losses) + " runs";
  search::DeviceLost died{runs + " died while it was in hand"};
  if (trial.order.trial.job != JobKind::kExplore) {
    if (trial.losses < kRunsOfProven) return prepare(id);
    trial.attempt = trial.losses;
    const auto device =
        std::ranges::find(parts_.pool.devices(), trial.order.trial.device, &Device::key);
    trial.evaluated_on = static_cast<DeviceIndex>(device - parts_.pool.devices().begin());
    return end(id, {search::LaunchFailed{died.reason}, {}});
  }
  const Retry how = retry_after(died, {trial.order.trial.job, 1, trial.losses});
  if (how == Retry::kSoon) return prepare(id);
  if (how == Retry::kNone) {
    died.reason += ", the last one while it was alone";
    trial.attempt = trial.losses;
    return end(id, {died, {}});
  }
  suspects_.add(trial, true);
  parts_.log.step(id, TrialState::kRetry, trial.attempt, "",
                  died.reason + ", so it comes last, alone");
  make_ready(trial);
}

std::optional<TrialId> TrialRunner::take(DeviceIndex device, std::span<const JobKind> kinds) {
  if (suspects_.any_built_alone() || measures_beside(device, true)) return std::nullopt;
  const std::string key = device_key(device);
  for (const JobKind kind : kinds) {
    if (const auto id = queue_.take(kind, key)) return id;
  }
  const bool may_explore = std::ranges::find(kinds, JobKind::kExplore) != kinds.end();
  return suspects_.any() && may_explore ? take_suspect(device) : std::nullopt;
}

std::optional<TrialId> TrialRunner::take_suspect(DeviceIndex device) {
  if (building() > 0 || measures_beside(device, false)) return std::nullopt;
  if (suspects_.any_of_runs() && builds_.has_next()) return std::nullopt;
  const auto id = queue_.take_suspect(device_key(device));
  if (!id || !builds_needed_ || !live_.at(*id).artifact.empty()) return id;
  // Of an earlier run. What takes a machine down may be its compiler.
  if (parts_.pool.can_build()) {
    suspects_.build_alone(*id);
    prepare(*id);
  } else {
    queue_.push_suspect(*id);
  }
  return std::nullopt;
}

bool TrialRunner::measures_beside(DeviceIndex device, bool suspects_alone) const {
  if (!suspects_.any()) return false;
  const auto& devices = parts_.pool.devices();
  return std::ranges::any_of(live_, [&](const auto& entry) {
    const LiveTrial& trial = entry.second;
    if (!trial.evaluating || (suspects_alone && !trial.suspect)) return false;
    return suspects_.any_of_runs() || devices[*trial.evaluated_on].node == devices[device].node;
  });
}

// Nothing is built beside a suspect that ended runs.
bool TrialRunner::may_build() const {
  if (!suspects_.any_of_runs()) return true;
  if (suspects_.any_built_alone()) return building() == 0;
  return std::ranges::none_of(
      live_, [](const auto& entry) { return entry.second.ended_runs && entry.second.evaluating; });
}

}  // namespace nightshift::scheduler
