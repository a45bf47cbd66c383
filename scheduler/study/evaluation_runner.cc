#include "scheduler/study/evaluation_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "scheduler/errors.h"
#include "scheduler/study/report_check.h"
#include "scheduler/study/retry.h"
#include "search/rng.h"

namespace nightshift::scheduler {
namespace {

using namespace std::chrono_literals;

constexpr auto kTick = 100ms;
constexpr auto kInterruptGrace = 10s;  // for measurements in flight

}  // namespace

EvaluationRunner::EvaluationRunner(EvaluationRunnerParts parts)
    : parts_(std::move(parts)), scoring_(parts_.problem), lanes_(parts_.pool.devices().size()) {}

BuildKey EvaluationRunner::key_of(const Contender& contender) const {
  if (contender.configuration.is_baseline()) return {BuildKey::Kind::kBaseline, {}};
  const auto position = static_cast<std::uint64_t>(&contender - parts_.contenders.data());
  return {BuildKey::Kind::kCandidate, {position}};
}

const EvaluationRunner::Build* EvaluationRunner::find(const BuildKey& key) const {
  for (const auto& [id, build] : builds_) {
    if (build.key == key) return &build;
  }
  return nullptr;
}

std::string EvaluationRunner::artifact(std::size_t contender) const {
  const Build* build = find(key_of(parts_.contenders[contender]));
  return build != nullptr && build->artifact ? build->artifact->hash : "";
}

bool EvaluationRunner::stopped() const { return interrupts_ > 0; }

bool EvaluationRunner::any_busy() const {
  return std::ranges::any_of(lanes_, [](const Lane& lane) { return lane.busy; });
}

PoolEvent EvaluationRunner::wait() {
  on_tick();
  PoolEvent event = parts_.pool.wait(parts_.clock.now() + kTick);
  if (const auto* notice = std::get_if<Notice>(&event)) on_notice(notice->text);
  return event;
}

void EvaluationRunner::interrupted(const Interrupted& signal) {
  if (interrupts_ == 0) grace_end_ = parts_.clock.now() + kInterruptGrace;
  interrupts_ = std::max(interrupts_ + 1, signal.count);
}

// --- Builds ---

void EvaluationRunner::plan_build(BuildKey::Kind kind, const std::string& name,
                                  const search::Configuration& configuration) {
  Build build;
  build.key.kind = kind;
  build.name = name;
  if (kind == BuildKey::Kind::kReference) build.request.target = ipc::BuildTarget::kReference;
  build.request.configuration = configuration;
  builds_[{++last_trial_}] = std::move(build);
}

bool EvaluationRunner::build() {
  if (!search::needs_build(parts_.problem)) return true;
  // Every answer is checked against the reference, or the baseline where the problem has none.
  if (search::has_reference(parts_.problem)) {
    plan_build(BuildKey::Kind::kReference, "the reference", {});
  } else {
    plan_build(BuildKey::Kind::kBaseline, "the baseline", {});
  }
  for (const Contender& contender : parts_.contenders) {
    const BuildKey key = key_of(contender);
    if (find(key) != nullptr) continue;
    plan_build(key.kind, contender.name, contender.configuration);
    builds_[{last_trial_}].key = key;
  }
  const auto all_built = [this] {
    return std::ranges::all_of(builds_,
                               [](const auto& b) { return b.second.artifact.has_value(); });
  };
  while (!all_built()) {
    if (stopped()) return false;
    start_builds();
    const PoolEvent event = wait();
    if (const auto* done = std::get_if<BuildDone>(&event)) on(*done);
    if (const auto* failed = std::get_if<DeviceFailed>(&event)) {
      lose(failed->device, failed->reason, nullptr);
    }
    if (const auto* signal = std::get_if<Interrupted>(&event)) interrupted(*signal);
  }
  return !stopped();
}

void EvaluationRunner::start_builds() {
  for (auto& [id, build] : builds_) {
    if (build.running || build.artifact || !parts_.pool.can_build()) continue;
    build.running = true;
    parts_.pool.build({id, build.attempt, build.request});
  }
}

void EvaluationRunner::on(const BuildDone& done) {
  const auto it = builds_.find(done.trial);
  if (it == builds_.end()) return;
  Build& build = it->second;
  build.running = false;
  if (const auto* artifact = std::get_if<ipc::Artifact>(&done.result)) {
    build.artifact = *artifact;
    return;
  }
  const auto& outcome = std::get<search::TrialOutcome>(done.result);
  const Attempt attempt{search::JobKind::kConfirm, build.attempt, done.fresh_process,
                        done.killed_by_others};
  if (!deserves_retry(outcome, attempt)) {
    throw StudyError(
        fmt::format("{} could not be built: {}", build.name, search::describe(outcome)));
  }
  ++build.attempt;
}

// --- Evaluations ---

bool EvaluationRunner::run(EvaluationPlan& plan) {
  for (DeviceIndex i = 0; i < lanes_.size(); ++i) {
    if (!lanes_[i].lost.empty()) plan.lost(i, lanes_[i].lost);  // while it was built
  }
  while (true) {
    fill(plan);
    const bool waiting =
        std::ranges::any_of(lanes_, [](const Lane& lane) { return lane.evaluation.has_value(); });
    if (!waiting) return !stopped();
    if (stopped() && (!any_busy() || interrupts_ > 1 || parts_.clock.now() >= grace_end_)) {
      return false;
    }
    const PoolEvent event = wait();
    if (const auto* done = std::get_if<MeasureDone>(&event)) on(*done, plan);
    if (const auto* failed = std::get_if<DeviceFailed>(&event)) {
      lose(failed->device, failed->reason, &plan);
    }
    if (const auto* signal = std::get_if<Interrupted>(&event)) interrupted(*signal);
  }
}

void EvaluationRunner::fill(EvaluationPlan& plan) {
  if (stopped()) return;
  for (DeviceIndex i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    if (lane.busy || !lane.lost.empty()) continue;
    if (!lane.evaluation) {
      lane.evaluation = plan.next(i);
      lane.attempt = 1;
      if (lane.evaluation) lane.trial = {++last_trial_};
    }
    if (lane.evaluation && parts_.pool.can_measure(i)) measure(i);
  }
}

void EvaluationRunner::measure(DeviceIndex device) {
  Lane& lane = lanes_[device];
  const Contender& contender = parts_.contenders[lane.evaluation->contender];
  MeasureOrder order;
  order.trial = lane.trial;
  order.attempt = lane.attempt;
  order.device = device;
  order.fresh_process = lane.evaluation->fresh_process || lane.attempt > 1;
  order.request.configuration = contender.configuration;
  order.request.sampling = parts_.problem.sampling;
  order.request.sampling.precision = 0;  // the same number of samples in all that is compared
  const std::uint64_t seed = parts_.problem.scheduling.seed;
  order.request.seed = search::mix_seed(seed, lane.trial.value);
  if (search::needs_build(parts_.problem)) {
    const Build* reference = find({BuildKey::Kind::kReference, {}});
    if (reference == nullptr) reference = find({BuildKey::Kind::kBaseline, {}});
    order.request.artifact = find(key_of(contender))->artifact->path;
    order.request.reference = reference->artifact->path;
    // Kernels get the same inputs in every evaluation, so that the reference is computed once.
    order.request.seed = seed;
  }
  lane.busy = true;
  lane.started = parts_.clock.unix_seconds();
  parts_.pool.measure(order);
}

void EvaluationRunner::on(const MeasureDone& done, EvaluationPlan& plan) {
  Lane& lane = lanes_[done.device];
  if (!lane.busy || lane.trial != done.trial) return;
  lane.busy = false;
  EvaluationEnd end;
  end.report = checked(done.report, scoring_);
  const search::TrialOutcome& outcome = end.report.outcome;
  const Attempt attempt{search::JobKind::kConfirm, lane.attempt, done.fresh_process,
                        done.killed_by_others};
  if (lane.lost.empty() && deserves_retry(outcome, attempt)) {
    ++lane.attempt;
    return;
  }
  if (std::holds_alternative<search::DeviceLost>(outcome)) {
    lose(done.device, search::describe(outcome), &plan);
    return;
  }
  end.fresh_process = done.fresh_process;
  end.started = lane.started;
  end.finished = parts_.clock.unix_seconds();
  const PlannedEvaluation evaluation = *std::exchange(lane.evaluation, std::nullopt);
  plan.ended(done.device, evaluation, end);
}

void EvaluationRunner::lose(DeviceIndex device, const std::string& reason, EvaluationPlan* plan) {
  Lane& lane = lanes_[device];
  if (!lane.lost.empty()) return;
  const std::string key = parts_.pool.devices()[device].key();
  lane = {};
  lane.lost = fmt::format("{} was lost: {}", key, reason);
  parts_.pool.retire(device, reason);
  const bool any_left =
      std::ranges::any_of(lanes_, [](const Lane& other) { return other.lost.empty(); });
  if (!any_left) throw DeviceError(fmt::format("{} cannot be used: {}", key, reason));
  if (plan != nullptr) plan->lost(device, lane.lost);
}

}  // namespace nightshift::scheduler
