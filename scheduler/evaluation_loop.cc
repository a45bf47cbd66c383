#include "scheduler/evaluation_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/rng.h"
#include "scheduler/errors.h"

namespace nightshift::scheduler {
namespace {

using namespace std::chrono_literals;

constexpr auto kTick = 100ms;

}  // namespace

EvaluationLoop::EvaluationLoop(Parts parts)
    : parts_(std::move(parts)),
      scoring_(parts_.problem),
      runner_({parts_.problem, scoring_, parts_.pool, parts_.clock, *this}),
      stop_(parts_.clock, kGrace),
      places_(parts_.pool.devices().size()),
      artifacts_(parts_.contenders.size()) {
  for (Place& place : places_) place.seconds.resize(parts_.contenders.size());
  if (!parts_.reference.empty()) runner_.give_reference(parts_.reference);
  for (std::size_t i = 0; i < parts_.contenders.size(); ++i) {
    const std::string& given = parts_.contenders[i].artifact;
    if (!given.empty()) runner_.give({i}, given);
  }
}

// All are confirmations: their samples are as many as those of what they are compared with.
TrialOrder EvaluationLoop::order_for(std::size_t contender) {
  const auto& [name, configuration, given] = parts_.contenders[contender];
  TrialOrder order;
  order.trial.id = {++last_trial_};
  order.trial.job = search::JobKind::kConfirm;
  order.trial.configuration = configuration;
  // The baseline that is built is the one without an index.
  if (!configuration.is_baseline() || !given.empty()) {
    order.trial.index = search::ConfigurationIndex{contender};
  }
  // Kernels get the same inputs in every evaluation, so that the reference is computed once.
  const std::uint64_t seed = parts_.problem.scheduling.seed;
  order.seed =
      search::is_kernel(parts_.problem) ? seed : base::mix_seed(seed, order.trial.id.value);
  return order;
}

void EvaluationLoop::wait(EvaluationPlan* plan) {
  parts_.observer.tick();
  take(stop_.wait(parts_.pool, parts_.clock.now() + kTick), plan);
}

void EvaluationLoop::take(const PoolEvent& event, EvaluationPlan* plan) {
  if (const auto* ended = std::get_if<JobEnded>(&event)) runner_.ended(*ended);
  if (const auto* failed = std::get_if<DeviceFailed>(&event)) {
    lose(failed->device, failed->reason, plan);
  }
  if (const auto* away = std::get_if<DeviceAway>(&event)) lose(away->device, away->reason, plan);
  if (const auto* notice = std::get_if<Notice>(&event)) parts_.observer.notice(notice->text);
}

// --- Builds ---

void EvaluationLoop::begin_build() {
  if (std::exchange(is_build_begun_, true) || !search::needs_build(parts_.problem)) return;
  for (std::size_t i = 0; i < parts_.contenders.size(); ++i) {
    TrialOrder order = order_for(i);
    order.build_only = true;
    building_[order.trial.id] = i;
    runner_.submit(std::move(order));
  }
  runner_.start_builds();
}

bool EvaluationLoop::build() {
  begin_build();
  while (!building_.empty()) {
    if (stop_.stopping()) return false;
    if (parts_.time.end && parts_.clock.now() >= *parts_.time.end) {
      throw StudyError(parts_.time.used_up + " before all was built");
    }
    runner_.start_builds();
    wait(nullptr);
    fold_builds();
  }
  return !stop_.stopping();
}

void EvaluationLoop::on(const PoolEvent& event) {
  take(event, nullptr);
  fold_builds();
  runner_.start_builds();
}

void EvaluationLoop::fold_builds() {
  for (const TrialEnd& end : runner_.take_ends()) {
    const auto it = building_.find(end.trial.id);
    if (it == building_.end()) continue;
    const std::size_t contender = it->second;
    building_.erase(it);
    artifacts_[contender] = end.artifact;
    if (!search::is_failure(end.report.outcome)) continue;
    const auto could_not = [&](const std::string& name) {
      return fmt::format("{} could not be built: {}", name, search::describe(end.report.outcome));
    };
    std::size_t whose = contender;
    if (const auto& failed = runner_.failed_build()) {
      const bool is_reference = failed->key.kind == BuildKey::Kind::kReference;
      // The baseline may be a contender, and what others are compared with.
      const auto baseline = std::ranges::find_if(parts_.contenders, [](const Contender& one) {
        return one.configuration.is_baseline() && one.artifact.empty();
      });
      if (is_reference || baseline == parts_.contenders.end()) {
        throw StudyError(could_not(is_reference ? "the reference" : "the baseline"));
      }
      whose = static_cast<std::size_t>(baseline - parts_.contenders.begin());
    }
    const std::string& name = parts_.contenders[whose].name;
    throw ContenderFailed(could_not(name == "baseline" ? "the baseline" : name), whose,
                          end.report.outcome);
  }
}

// --- Evaluations ---

bool EvaluationLoop::run(EvaluationPlan& plan) {
  plan.built(artifacts_);
  for (DeviceIndex i = 0; i < places_.size(); ++i) {
    if (!places_[i].lost.empty()) plan.lost(i, places_[i].lost);  // while it was built
  }
  while (true) {
    fill(plan);
    const bool waiting = std::ranges::any_of(
        places_, [](const Place& place) { return place.evaluation.has_value(); });
    if (!waiting) return !stop_.stopping();
    if (stop_.is_over(runner_.is_evaluating())) return false;
    wait(&plan);
    fold_ends(plan);
  }
}

void EvaluationLoop::fill(EvaluationPlan& plan) {
  if (stop_.stopping()) return;
  for (DeviceIndex i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    if (!place.lost.empty()) continue;
    if (!place.evaluation) {
      place.evaluation = plan.next(i);
      if (!place.evaluation) continue;
      submit(i);
    }
    constexpr std::array kKinds{search::JobKind::kConfirm};
    if (!parts_.pool.can_measure(i)) continue;
    (void)runner_.start_evaluation(i, kKinds, {0, {}, patience_for(i)});
  }
}

void EvaluationLoop::submit(DeviceIndex device) {
  const Place& place = places_[device];
  TrialOrder order = order_for(measured_on(place));
  order.trial.device = parts_.pool.devices()[device].key();
  order.fresh_process = place.evaluation->fresh_process;
  order.doubted = place.evaluation->doubted;
  runner_.submit(std::move(order));
}

// Of the first contender, before anything is known of how long one takes. Limits that somebody set
// hold as they are.
bool EvaluationLoop::is_first_look(const Place& place) const {
  return parts_.time.each_limits_others && parts_.problem.limits.times_baseline > 0 &&
         place.evaluation && measured_on(place) == 0 && !place.was_put_off &&
         parts_.contenders.size() > 1 &&
         std::ranges::all_of(place.seconds, [](double seconds) { return seconds == 0; });
}

// An evaluation that took longer than the first look.
bool EvaluationLoop::put_off(Place& place, const TrialEnd& end) {
  const auto* late = std::get_if<search::TimedOut>(&end.report.outcome);
  if (late == nullptr || late->limit_seconds != kFirstLook || !is_first_look(place)) return false;
  place.put_off = place.was_put_off = true;
  return true;
}

Patience EvaluationLoop::patience_for(DeviceIndex device) const {
  const Place& place = places_[device];
  PatienceTerms terms;
  terms.at_the_end = parts_.time.used_up;
  const bool is_other = place.evaluation && measured_on(place) != 0;
  if (parts_.time.first_limits_others && is_other) terms.baseline = place.seconds[0];
  if (parts_.time.each_limits_others && place.evaluation) {
    for (std::size_t i = 0; i < place.seconds.size(); ++i) {
      if (i != measured_on(place)) terms.baseline = std::max(terms.baseline, place.seconds[i]);
    }
    terms.who = place.seconds.size() == 2 ? "the other one" : "the slowest of the others";
  }
  if (parts_.time.end) {
    terms.left = std::chrono::duration<double>(*parts_.time.end - parts_.clock.now()).count();
  }
  Patience patience = patience_of(parts_.problem.limits, terms);
  const bool is_longer = patience.seconds == 0 || patience.seconds > kFirstLook;
  if (is_first_look(place) && is_longer && parts_.problem.limits.trial > kFirstLook) {
    patience.seconds = kFirstLook;
    patience.why = "the other one is measured before it";
  }
  return patience;
}

void EvaluationLoop::fold_ends(EvaluationPlan& plan) {
  const auto& devices = parts_.pool.devices();
  for (const TrialEnd& end : runner_.take_ends()) {
    const auto device = std::ranges::find(devices, end.trial.device, &Device::key);
    const auto index = static_cast<DeviceIndex>(device - devices.begin());
    if (!places_[index].lost.empty()) continue;
    if (std::holds_alternative<search::DeviceLost>(end.report.outcome)) {
      lose(index, search::describe(end.report.outcome), &plan);
      continue;
    }
    Place& place = places_[index];
    if (put_off(place, end)) {
      submit(index);
      continue;
    }
    const std::size_t contender = measured_on(place);
    if (!search::is_failure(end.report.outcome)) {
      place.seconds[contender] =
          std::max(place.seconds[contender], end.finished - end.last_started);
      if (std::exchange(place.put_off, false)) {
        submit(index);
        continue;
      }
    }
    PlannedEvaluation evaluation = *std::exchange(place.evaluation, std::nullopt);
    evaluation.contender = contender;
    plan.ended(index, evaluation, end);
  }
}

void EvaluationLoop::lose(DeviceIndex device, const std::string& reason, EvaluationPlan* plan) {
  Place& place = places_[device];
  if (!place.lost.empty()) return;
  const std::string key = parts_.pool.devices()[device].key();
  place.evaluation.reset();
  place.lost = fmt::format("{} was lost: {}", key, reason);
  parts_.pool.retire(device, reason);
  runner_.withdraw(device, reason);
  const bool any_left =
      std::ranges::any_of(places_, [](const Place& other) { return other.lost.empty(); });
  if (!any_left) throw DeviceError(fmt::format("{} cannot be used: {}", key, reason));
  if (plan != nullptr) plan->lost(device, place.lost);
}

}  // namespace nightshift::scheduler
