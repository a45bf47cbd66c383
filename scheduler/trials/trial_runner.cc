#include "scheduler/trials/trial_runner.h"

#include <algorithm>
#include <random>

#include "scheduler/trials/report_check.h"
#include "search/phase_limit.h"

namespace nightshift::scheduler {

using search::JobKind;
using search::TrialId;

TrialRunner::TrialRunner(const Parts& parts)
    : parts_(parts),
      builds_needed_(search::needs_build(parts.problem)),
      lot_(base::mix_seed(std::random_device{}(), 0)) {
  if (builds_needed_ || search::is_recorded(parts.problem)) return;
  baseline_point_ = search::baseline_configuration(parts.problem);
}

bool TrialRunner::explores() const {
  if (queue_.has(JobKind::kExplore)) return true;
  return std::ranges::any_of(in_hand_, [this](const auto& entry) {
    return std::ranges::any_of(entry.second, [this](TrialId id) {
      return live_.at(id).order.trial.job == JobKind::kExplore;
    });
  });
}

std::string TrialRunner::device_key(DeviceIndex device) const {
  return parts_.pool.devices()[device].key();
}

// Nobody gains by a baseline that is faster than its work. Of a confirmation's evaluations a third
// are doubted, and of each configuration the first one; nobody knows before. Each is one of many, and
// doubt takes longer than samples.
bool TrialRunner::is_doubted(const ProposedTrial& trial) {
  if (parts_.problem.sampling.trust != search::Trust::kNone) return false;
  if (trial.configuration.is_baseline()) return false;
  const bool is_first = doubted_.insert(trial.configuration.to_json()).second;
  return is_first || trial.job != JobKind::kConfirm || lot_.below(3) == 0;
}

void TrialRunner::speaks_for(const std::string& artifact, TrialId trial) {
  owners_.emplace(artifact, trial);
  const auto waiting = live_owners_.find(artifact);
  if (waiting == live_owners_.end() || waiting->second == trial) return;
  const TrialId other = waiting->second;
  if (const auto it = live_.find(other); it == live_.end() || it->second.evaluating) return;
  queue_.withdraw(other);
  end_as_equal(other, trial);
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
  } else if (is_baseline_again(trial)) {
    return end_as_equal(id, *baseline_trial_);
  }
  if (trial.order.build_only) {
    end(id, {});
  } else {
    make_ready(trial);
  }
}

void TrialRunner::make_ready(const LiveTrial& trial, bool came_back) {
  const ProposedTrial& proposed = trial.order.trial;
  if (built_alone_ == proposed.id) built_alone_.reset();
  if (trial.suspect) return queue_.push_suspect(proposed.id);
  queue_.push(proposed.id, proposed.job, proposed.device, came_back || trial.attempt > 1);
}

std::size_t TrialRunner::abandon_explorations() {
  const std::size_t dropped = std::erase_if(live_, [this](const auto& entry) {
    const LiveTrial& trial = entry.second;
    const bool drop = trial.order.trial.job == JobKind::kExplore && !trial.evaluating;
    if (drop) acquit(trial);
    return drop;
  });
  queue_.clear(JobKind::kExplore);
  twins_.clear();
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
  ++evaluating_;
  std::vector<TrialId>& in_hand = in_hand_[device];
  in_hand.push_back(*id);
  if (in_hand.size() == 1) begin(trial, device);
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
  const auto found = in_hand_.find(device);
  if (found == in_hand_.end() || found->second.empty()) return nullptr;
  return &live_.at(found->second.front()).order.trial;
}

// The device is not at it any more; it is at what was queued behind it.
void TrialRunner::leave(const JobEnded& end) {
  std::vector<TrialId>& in_hand = in_hand_[*end.device];
  const bool was_first = !in_hand.empty() && in_hand.front() == end.trial;
  std::erase(in_hand, end.trial);
  if (was_first && !in_hand.empty()) begin(live_.at(in_hand.front()), *end.device);
}

Job TrialRunner::job_of(LiveTrial& trial, DeviceIndex device, const EvaluationTerms& terms) {
  const ProposedTrial& proposed = trial.order.trial;
  ipc::EvaluateRequest request;
  request.configuration = proposed.configuration;
  request.artifact = trial.artifact;
  request.reference = trial.reference;
  request.seed = trial.order.seed;
  request.sampling = parts_.problem.sampling;
  if (!is_doubted(proposed)) request.sampling.trust = search::Trust::kUsual;
  trial.patience = terms.comparing;
  if (proposed.job == JobKind::kExplore) {
    request.give_up_above = terms.give_up_above;
    trial.patience = terms.exploring;
  } else {
    request.sampling.precision = 0;  // the same number of samples in all that is compared
    if (trial.order.samples > 0) request.sampling.samples = trial.order.samples;
    if (proposed.job == JobKind::kBaseline) trial.patience = terms.baseline;
  }
  request.patience = trial.patience.seconds;
  request.left = trial.patience.left;
  return {proposed.id, trial.attempt, device, trial.wants_fresh_process, std::move(request)};
}

void TrialRunner::ended(const JobEnded& end) {
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
  it->second.evaluating = false;
  --evaluating_;
  leave(end);
}

void TrialRunner::evaluated(const JobEnded& end) {
  const auto it = live_.find(end.trial);
  if (it == live_.end()) return;
  LiveTrial& trial = it->second;
  trial.evaluating = false;
  --evaluating_;
  leave(end);
  const std::string key = device_key(*end.device);
  const ProposedTrial& proposed = trial.order.trial;
  const bool can_go_on = proposed.device.empty() || !withdrawn_.contains(key);
  if (end.not_begun && can_go_on) {
    trial.evaluated_on.reset();
    return make_ready(trial, true);
  }
  if (can_go_on && build_anew(trial, end, key)) return;
  search::TrialReport report = checked(end.report, parts_.scoring);
  if (ran_out_of_budget(trial, report.outcome)) {
    trial.evaluated_on.reset();
    return make_ready(trial, true);
  }
  auto* const lost = std::get_if<search::DeviceLost>(&report.outcome);
  if (lost != nullptr) ++trial.losses;
  const Attempt attempt{proposed.job,         trial.attempt,
                        trial.losses,         end.fresh_process || end.fresh_program,
                        end.killed_by_others, is_by_left(trial, report.outcome)};
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
  ++trial.attempt;
  trial.evaluated_on.reset();
  trial.wants_fresh_process = true;
  std::string why = search::describe(outcome);
  if (how == Retry::kAlone && !trial.suspect) {
    suspect(trial, false);
    why += "; two devices were lost while they measured it, so it comes last, alone on its node";
  }
  parts_.log.step(trial.order.trial.id, TrialState::kRetry, trial.attempt, device, why);
  make_ready(trial);
}

void TrialRunner::end(TrialId id, search::TrialReport report, bool fresh_process) {
  const auto node = live_.extract(id);
  const LiveTrial& trial = node.mapped();
  acquit(trial);
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

}  // namespace nightshift::scheduler
