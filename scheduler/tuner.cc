#include "scheduler/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <variant>

#include "ipc/stop_signals.h"
#include "scheduler/errors.h"
#include "scheduler/study/time/budget.h"

namespace nightshift::scheduler {

using search::JobKind;
using search::TrialId;

namespace {

using namespace std::chrono_literals;

constexpr auto kStatusInterval = 2s;  // of the journal's note on how long the run has lasted

// Whether others with the same machine code need not be measured.
bool speaks_for_its_code(const ProposedTrial& trial, const FinishedTrial& result) {
  const search::TrialOutcome& outcome = result.report.outcome;
  if (result.artifact.empty()) return false;
  if (trial.job != JobKind::kExplore) {
    const bool of_baseline = search::is_baseline(trial.job) || trial.arm == Arm::kBaseline;
    return of_baseline && std::holds_alternative<search::Measured>(outcome);
  }
  return !std::holds_alternative<search::Skipped>(outcome) &&
         !std::holds_alternative<search::DeviceLost>(outcome);
}

}  // namespace

Tuner::Tuner(const TunerParts& parts)
    : parts_(parts),
      plan_(parts.problem, parts.space, parts.searcher),
      board_(parts.problem, parts.space, plan_.state()),
      runner_({parts.problem, plan_.state().baselines().scoring(), parts.pool, parts.clock, *this}),
      levels_(parts.problem.acceptance.min_improvement),
      stop_(parts.clock, StopGate::Seconds{parts.stop_times.grace}),
      sources_(parts.sources, parts.problem, parts.clock),
      clock_(parts.clock) {
  for (const Device& device : parts_.pool.devices()) {
    keys_.push_back(device.key());
    board_.add_device(device);
  }
}

void Tuner::happened(const StudyEvent& event) {
  plan_.apply(event);
  fold_beside_plan(event);
}

void Tuner::fold_beside_plan(const StudyEvent& event) {
  board_.apply(event);
  const auto* finished = std::get_if<TrialFinished>(&event);
  if (finished != nullptr) let_speak(finished->trial, finished->result);
}

void Tuner::let_speak(const ProposedTrial& trial, const FinishedTrial& result) {
  const bool measured = std::holds_alternative<search::Measured>(result.report.outcome);
  if (measured && search::is_baseline(trial.job)) runner_.baseline_speaks(trial.id);
  if (speaks_for_its_code(trial, result)) runner_.speaks_for(result.artifact, trial.id);
}

const std::string& Tuner::key_of(DeviceIndex device) const { return keys_[device]; }

// --- An earlier run ---

void Tuner::resume(const History& history) {
  clock_.had_earlier(history.run_seconds);
  flushes_ = history.deaths > 0 && !search::is_recorded(parts_.problem);
  identity_ = StudyIdentity(identity_of(history));
  for (const HistoryEvent& one : history.events) {
    const StudyEvent event = event_of(history, one);
    plan_.repeat(event);
    fold_beside_plan(event);
  }
  const std::string noticed = plan_.take_up(history);
  (void)board_.take_observations();  // the earlier run has said them
  failed_before_ = board_.common_failure().failed();
  told_left_running_ = std::ranges::any_of(history.remarks, [](const Remark& remark) {
    return remark.what == kNoticeRemark &&
           remark.detail.find(kEachLikeItFails) != std::string::npos;
  });
  if (!noticed.empty()) remark("searcher", noticed);
}

void Tuner::requeue_unfinished() {
  plan_.keep_devices(keys_);
  for (TrialOrder& order : plan_.take_unfinished()) {
    const std::string& key = order.trial.device;
    const auto device = std::ranges::find(keys_, key);
    if (!key.empty() && device == keys_.end()) {
      TrialEnd lost;
      lost.report.outcome = search::DeviceLost{key + " does not take part in this run"};
      lost.started = lost.finished = parts_.clock.unix_seconds();
      lost.trial = std::move(order.trial);
      fold_end(std::move(lost));
      continue;
    }
    if (search::is_baseline(order.trial.job)) {
      plan_.care().baseline_started(static_cast<DeviceIndex>(device - keys_.begin()));
    }
    runner_.submit(std::move(order));
    fold_ends();
  }
  if (const std::size_t suspects = runner_.suspects(); suspects > 0) {
    remark("suspects",
           fmt::format("runs died twice with {} of the configurations in hand: {} last, "
                       "alone",
                       suspects, suspects == 1 ? "it comes" : "each of them comes"));
  }
}

// --- The loop ---

StudyEnd Tuner::run(WorkerPool& pool) {
  try {
    begin();
    while (turn()) fold(pool.wait(wake()));
  } catch (const StudyError& error) {
    fail(error.what());
    throw;
  } catch (const NoRoomError& error) {
    interrupt(error.what());
    throw;
  }
  return end();
}

void Tuner::begin() {
  clock_.begin_run();
  last_tick_ = last_status_ = parts_.clock.now();
  for (DeviceIndex d = 0; d < keys_.size(); ++d) {
    plan_.add_device(keys_[d], parts_.pool.devices()[d].kind());
  }
  parts_.journal.status("running", "", clock_.run_seconds());
  requeue_unfinished();
}

void Tuner::start_clock() {
  constexpr double kLong = 3;  // seconds; what took longer is told
  const JobPlaces& pool = parts_.pool;
  bool stands = search::needs_build(parts_.problem) && pool.can_build();
  for (DeviceIndex d = 0; d < keys_.size() && !stands; ++d) {
    stands = !search::needs_build(parts_.problem) && pool.can_measure(d);
  }
  if (!stands) return;
  clock_.start();
  if (clock_.waited() < kLong) return;
  remark("start",
         fmt::format("it took {:.1f} s until the first process could {}, which is no part "
                     "of the budget",
                     clock_.waited(), search::needs_build(parts_.problem) ? "build" : "measure"));
}

bool Tuner::turn() {
  take_events();
  check_devices();
  if (sources_.holds()) look_at_sources();
  if (!clock_.has_started()) start_clock();
  fill();
  parts_.journal.end_turn();
  if (finished()) {
    const bool cut_off = stop_.stopping() || sources_are_over();
    if (!cut_off && !quarantine_reasons_.empty() && !plan_.state().baselines().any()) {
      fail_without_devices("no baseline was measured");
    }
    return false;
  }
  publish();
  return true;
}

StudyEnd Tuner::end() {
  StudyEnd ended = how_it_ended();
  parts_.journal.status(ended.interrupted ? "interrupted" : "completed", ended.reason,
                        clock_.run_seconds());
  parts_.journal.commit_durably();
  parts_.observer.tick(board_.status());
  return ended;
}

StudyEnd Tuner::how_it_ended() const {
  if (stop_.stopping()) return {true, "stopped by " + stop_signal()};
  if (sources_are_over()) return {true, sources_.reason()};
  if (plan_.exploration().was_cut_short()) {
    return {true, "the exploration was ended by " + search::signal_name(ipc::kWindUpSignal)};
  }
  return {false, plan_.exploration().why_finished(clock_.elapsed())};
}

void Tuner::fail(const std::string& reason) {
  parts_.journal.status("failed", reason, clock_.run_seconds());
  parts_.journal.commit_durably();
}

void Tuner::interrupt(const std::string& reason) {
  parts_.journal.status("interrupted", reason, clock_.run_seconds());
  parts_.journal.commit_durably();
}

std::string Tuner::stop_signal() const {
  if (stop_.signal() == Interrupted::kWhoMeasuresHasEnded) return "the end of who measures";
  return stop_.signal() == 0 ? "a signal" : search::signal_name(stop_.signal());
}

bool Tuner::finished() const {
  if (stop_.stopping()) return stop_.is_over(runner_.is_evaluating());
  if (sources_.holds()) return sources_are_over();
  return runner_.idle() && plan_.is_settled();
}

void Tuner::fill() {
  if (stop_.stopping() || sources_.holds()) return;
  // Configurations that wait are left as they are, proposed, for a resumed study to take up.
  if (plan_.explorations_are_over(clock_.elapsed()))
    plan_.abandoned(runner_.abandon_explorations());
  Moment moment{parts_.clock.now(), clock_.elapsed(), {}, parts_.pool.builder_count()};
  moment.others = clock_.others();
  moment.suspects = runner_.suspects();
  moment.explores = runner_.explores();
  for (DeviceIndex i = 0; i < keys_.size(); ++i) {
    moment.free.push_back(plan_.care().in_service(i) && parts_.pool.can_measure(i));
    moment.delay.push_back(parts_.pool.delay(i));
  }
  const auto take_steps = [&] {
    plan_.begin_turn(moment);
    bool any = false;
    for (; const auto step = plan_.next(); any = true) {
      std::visit([this](const auto& s) { carry_out(s); }, *step);
    }
    return any;
  };
  // What was proposed may have ended at once, as it is what another is: then more is to be decided.
  while (take_steps() && runner_.idle()) {
  }
  // Measuring goes first where both need the same cores: builds then fill the gaps.
  start_evaluations();
  look_ahead();
  runner_.start_builds(plan_.patience_with_needed_builds());
  fold_ends();
}

void Tuner::carry_out(const StudyPlan::Propose& step) {
  const ProposedTrial& trial = step.order.trial;
  parts_.journal.propose(trial, parts_.clock.unix_seconds());
  happened(TrialProposed{trial});
  runner_.submit(step.order);
  fold_ends();
}

void Tuner::carry_out(const StudyPlan::Open& step) {
  parts_.journal.open(step.setup, parts_.clock.unix_seconds());
  happened(ConfirmationOpened{step.setup, clock_.elapsed()});
  const auto index = plan_.state().index_of(step.setup, Arm::kCandidate);
  parts_.observer.confirmation_opened(
      step.setup, index ? parts_.space.configuration(*index) : search::Configuration(),
      board_.status());
}

void Tuner::carry_out(const StudyPlan::Conclude& step) {
  const StudyState& state = plan_.state();
  const auto before = state.incumbent();
  parts_.journal.verdict(step.verdict, parts_.clock.unix_seconds());
  happened(ConfirmationConcluded{step.setup, step.verdict});
  parts_.journal.commit_durably();
  if (step.setup.purpose == Purpose::kDuel) {
    const auto candidate = state.index_of(step.setup.candidate);
    const auto loser = search::is_accepted(step.verdict.verdict) ? before : candidate;
    if (loser && !plan_.needs_artifact(step.setup.candidate)) runner_.forget(loser);
  }
  parts_.observer.verdict_reached(step.setup, step.verdict, board_.status());
  const std::string& distrust = state.confirmations().distrust();
  if (!distrust.empty() && step.setup.purpose != Purpose::kDuel) {
    remark("distrust", "nothing is accepted: " + distrust);
  }
}

void Tuner::start_evaluations() {
  for (DeviceIndex i = 0; i < keys_.size(); ++i) {
    const std::vector<JobKind> kinds = plan_.may_begin(i);
    if (kinds.empty() || !parts_.pool.can_measure(i)) continue;
    if (const auto* trial = runner_.start_evaluation(i, kinds, plan_.terms_for(i))) {
      board_.started(*trial, i);
    }
  }
}

// What a far device was given ahead comes back where something else is due there.
void Tuner::look_ahead() {
  constexpr std::array kExplorations{JobKind::kExplore};
  for (DeviceIndex i = 0; i < keys_.size(); ++i) {
    if (stop_.stopping() || !plan_.looks_ahead(i)) {
      parts_.pool.recall(i);
    } else if (parts_.pool.can_queue(i)) {
      (void)runner_.start_evaluation(i, kExplorations, plan_.terms_for(i));
    }
  }
}

void Tuner::stop_exploring(const std::string& reason) {
  plan_.exploration().stop(reason);
  remark("exploration", "nothing more is explored: " + reason);
}

void Tuner::step(TrialId trial, TrialState state, std::uint32_t attempt, std::string_view device,
                 std::string_view detail) {
  parts_.journal.note(trial, state, attempt, device, detail, parts_.clock.unix_seconds());
  const bool begins = state == TrialState::kBuilding || state == TrialState::kRunning;
  if (flushes_ && begins) parts_.journal.commit_durably();
  if (state != TrialState::kRetry || device.empty()) return;
  parts_.observer.remark(
      fmt::format("trial {} is tried again in a fresh process: {}", trial.value, detail),
      board_.status());
}

// --- For those who look on ---

void Tuner::publish() {
  const Clock::TimePoint now = parts_.clock.now();
  if (now - last_tick_ < kTickInterval) return;
  last_tick_ = now;
  board_.refresh(runner_,
                 {clock_.elapsed(), plan_.exploration().budget().seconds, stop_.stopping(),
                  plan_.care().any_ready(),
                  used_share(plan_.exploration().budget(), plan_.state().usage(clock_.elapsed())),
                  plan_.still_explores()});
  parts_.observer.tick(board_.status());
  if (now - last_status_ >= kStatusInterval) {
    last_status_ = now;
    parts_.journal.status("running", "", clock_.run_seconds());
  }
}

void Tuner::remark(const std::string& what, const std::string& text) {
  parts_.journal.remark(what, text, parts_.clock.unix_seconds());
  parts_.observer.remark(text, board_.status());
}

}  // namespace nightshift::scheduler
