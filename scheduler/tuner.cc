#include "scheduler/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <variant>

#include "ipc/stop_signals.h"
#include "scheduler/errors.h"
#include "scheduler/study/budget.h"

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
      stop_(parts.clock, StopGate::Seconds{parts.stop_times.grace}) {
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
  earlier_seconds_ = history.run_seconds;
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
      plan_.baseline_requeued(static_cast<DeviceIndex>(device - keys_.begin()));
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
  }
  return end();
}

void Tuner::begin() {
  began_ = last_tick_ = last_status_ = parts_.clock.now();
  for (DeviceIndex d = 0; d < keys_.size(); ++d) {
    plan_.add_device(keys_[d], parts_.pool.devices()[d].kind());
  }
  parts_.journal.status("running", "", run_seconds());
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
  clock_began_ = parts_.clock.now();
  if (waited() < kLong) return;
  remark("start", fmt::format("it took {:.1f} s until the first process could {}, which is no part "
                              "of the budget",
                              waited(), search::needs_build(parts_.problem) ? "build" : "measure"));
}

bool Tuner::turn() {
  take_events();
  check_devices();
  if (!clock_began_) start_clock();
  fill();
  parts_.journal.end_turn();
  if (finished()) {
    if (!stop_.stopping() && !quarantine_reasons_.empty() && !plan_.state().baselines().any()) {
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
                        run_seconds());
  parts_.journal.commit_durably();
  parts_.observer.tick(board_.status());
  return ended;
}

StudyEnd Tuner::how_it_ended() const {
  if (stop_.stopping()) return {true, "stopped by " + stop_signal()};
  if (plan_.was_cut_short()) {
    return {true, "the exploration was ended by " + search::signal_name(ipc::kWindUpSignal)};
  }
  return {false, plan_.why_finished(elapsed())};
}

void Tuner::fail(const std::string& reason) {
  parts_.journal.status("failed", reason, run_seconds());
  parts_.journal.commit_durably();
}

std::string Tuner::stop_signal() const {
  return stop_.signal() == 0 ? "a signal" : search::signal_name(stop_.signal());
}

bool Tuner::finished() const {
  if (stop_.stopping()) return stop_.is_over(runner_.is_evaluating());
  return runner_.idle() && plan_.is_settled();
}

void Tuner::fill() {
  if (stop_.stopping()) return;
  // Configurations that wait are left as they are, proposed, for a resumed study to take up.
  if (plan_.explorations_are_over(elapsed())) plan_.abandoned(runner_.abandon_explorations());
  Moment moment{parts_.clock.now(), elapsed(), {}, parts_.pool.builder_count()};
  moment.suspects = runner_.suspects();
  for (DeviceIndex i = 0; i < keys_.size(); ++i) {
    moment.free.push_back(plan_.in_service(i) && parts_.pool.can_measure(i));
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
  runner_.start_builds();
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
  happened(ConfirmationOpened{step.setup, elapsed()});
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

// --- What happens ---

void Tuner::fold(PoolEvent event) {
  stop_.put(std::move(event));
  take_events();
}

void Tuner::take_events() {
  while (const auto event = stop_.next()) {
    std::visit([this](const auto& e) { on(e); }, *event);
  }
}

void Tuner::on(const JobEnded& ended) {
  if (ended.device) board_.ended(*ended.device);
  runner_.ended(ended);
  if (ended.device) {
    if (const auto* trial = runner_.at_work(*ended.device)) board_.started(*trial, *ended.device);
  }
  fold_ends();
  check_builds();
}

void Tuner::fold_ends() {
  for (auto ends = runner_.take_ends(); !ends.empty(); ends = runner_.take_ends()) {
    for (TrialEnd& end : ends) fold_end(std::move(end));
  }
}

void Tuner::fold_end(TrialEnd end) {
  const ProposedTrial trial = end.trial;
  const std::optional<DeviceIndex> device = end.device;
  const FinishedTrial result = plan_.judged(std::move(end));
  parts_.journal.finish(result);
  happened(TrialFinished{trial, result});
  // Those of finishing rounds are few, and are confirmed next.
  const bool explored = trial.job == JobKind::kExplore && !is_of_finishing(trial);
  if (explored && !plan_.needs_artifact(trial.id)) {
    runner_.forget(trial.index);
  }
  parts_.observer.trial_finished(trial, result, board_.status());
  if (trial.job == JobKind::kExplore && search::is_failure(result.report.outcome)) {
    remark_common_failure();
  }
  for (const std::string& observed : board_.take_observations()) {
    parts_.observer.remark(observed, board_.status());
  }
  if (device) evaluated(trial, result, *device);
}

// The study goes on: in a space of which most does not build, the first ones may all fail, and the
// searcher learns from them where the others are. Not for ever, where they all fail alike.
void Tuner::remark_common_failure() {
  const std::string words = board_.common_failure().remark();
  if (!words.empty()) remark("common failure", words);
  const bool is_hopeless = board_.common_failure().is_hopeless(failed_before_);
  if (!is_hopeless || plan_.was_stopped()) return;
  stop_exploring(fmt::format("none of the first {} configurations builds, all for one reason",
                             board_.common_failure().failed()));
}

void Tuner::evaluated(const ProposedTrial& trial, const FinishedTrial& result, DeviceIndex device) {
  const std::string key = key_of(device);
  keep_parts(device);
  const bool drifted = plan_.evaluated(trial, result, device, parts_.clock.now());
  if (search::is_baseline(trial.job) && search::is_failure(result.report.outcome)) {
    quarantine(device, fmt::format("the baseline failed on {}: {}", key,
                                   search::describe(result.report.outcome)));
  }
  const Baselines& baselines = plan_.state().baselines();
  const auto level = baselines.value(key);
  if (level) levels_.begins_at(key, *level);
  if (!drifted || !level || !levels_.is_news(key, *level)) return;
  remark(
      "drift",
      fmt::format("the baseline on {} seems to have moved to {:.4g} {}: it is measured again, and "
                  "scores between the two are interpolated",
                  key, *level, baselines.scoring().primary().unit));
}

// What was measured with something else is not measured again here: who takes up a study looks
// before (tools/study/taken_study.h). This is of devices that come later, and of studies of a
// batch.
void Tuner::keep_parts(DeviceIndex device) {
  for (const StudyIdentity::News& news : identity_.take(device, parts_.pool.devices()[device])) {
    for (const std::string& change : news.changes) remark(std::string(kNoticeRemark), change);
    parts_.journal.remark(kIdentityRemark, identity_remark(news.part), parts_.clock.unix_seconds());
  }
}

void Tuner::quarantine(DeviceIndex device, const std::string& reason) {
  if (!plan_.in_service(device)) return;
  parts_.pool.retire(device, reason);
  board_.quarantined(device);
  quarantine_reasons_.push_back(reason);
  remark(std::string(kQuarantineRemark), reason);
  plan_.lose_device(device);
  runner_.withdraw(device, reason);
  fold_ends();
  if (!plan_.any_in_service()) fail_without_devices("no device is left");
}

void Tuner::fail_without_devices(const std::string& what) const {
  throw StudyError(fmt::format("{}:\n  {}", what, fmt::join(quarantine_reasons_, "\n  ")));
}

// Settings ask for more devices than are there, or left.
void Tuner::check_devices() const {
  if (stop_.stopping() || parts_.pool.may_grow()) return;
  const std::string why = plan_.why_never();
  if (why.empty()) return;
  if (!quarantine_reasons_.empty()) fail_without_devices(why);
  throw StudyError(why);
}

namespace {

// " (TILE=16 UNROLL=1)", or the source where the baseline has one of its own; empty where nothing
// tells it from others.
std::string values_of_baseline(const search::Problem& problem) {
  constexpr std::size_t kShown = 120;
  const auto* host = std::get_if<search::HostBackend>(&problem.backend);
  if (host != nullptr && !host->baseline.file.empty()) {
    return fmt::format(" ({} of {})", host->baseline.function, host->baseline.file);
  }
  std::string text;
  const search::Configuration configuration = search::resolved(problem, {});
  for (const auto& [name, value] : configuration.entries()) {
    const std::string entry = name + "=" + search::to_text(value);
    if (text.size() + entry.size() > kShown) {
      text += " ...";
      break;
    }
    text += (text.empty() ? "" : " ") + entry;
  }
  return text.empty() ? "" : " (" + text + ")";
}

std::string source_of_reference(const search::Problem& problem) {
  if (const auto* host = std::get_if<search::HostBackend>(&problem.backend)) {
    if (!host->reference.file.empty()) {
      return fmt::format(" ({} of {})", host->reference.function, host->reference.file);
    }
  }
  return "";
}

}  // namespace

void Tuner::check_builds() const {
  const auto& failed = runner_.failed_build();
  if (!failed) return;
  const bool reference = failed->key.kind == BuildKey::Kind::kReference;
  throw StudyError(fmt::format(
      "the {} could not be built{}: {}\nNothing can be {} without it; mend it and start a new "
      "study",
      reference ? "reference" : "baseline",
      reference ? source_of_reference(parts_.problem) : values_of_baseline(parts_.problem),
      search::describe(failed->outcome), reference ? "checked" : "compared"));
}

void Tuner::on(const DeviceFailed& failed) {
  quarantine(failed.device,
             fmt::format("{} cannot be used: {}", key_of(failed.device), failed.reason));
}

void Tuner::on(const DeviceJoined& joined) {
  while (keys_.size() <= joined.device) {
    const Device& device = parts_.pool.devices()[keys_.size()];
    keys_.push_back(device.key());
    plan_.add_device(keys_.back(), device.kind());
    board_.add_device(device);
  }
}

void Tuner::on(const DeviceAway& away) {
  if (!plan_.in_service(away.device)) return;
  plan_.device_away(away.device);
  runner_.recall(away.device, away.reason);
  fold_ends();
}

void Tuner::on(const Interrupted&) {
  if (stop_.requests() != 1) return;
  look_ahead();
  remark("interrupt",
         fmt::format("stopping after {}: measurements in flight have {:g} s to end; another signal "
                     "stops at once",
                     stop_signal(), stop_.grace().count()));
}

void Tuner::on(const WindUp&) {
  if (stop_.stopping() || plan_.winds_up()) return;
  plan_.wind_up(elapsed(), parts_.stop_times.wind_up);
  remark("interrupt",
         fmt::format("{}: nothing more is explored; duels and the hold-out have "
                     "{:g} s",
                     search::signal_name(ipc::kWindUpSignal), parts_.stop_times.wind_up));
}

void Tuner::stop_exploring(const std::string& reason) {
  plan_.stop_exploring(reason);
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

double Tuner::run_seconds() const {
  if (!clock_began_) return 0;
  return std::chrono::duration<double>(parts_.clock.now() - *clock_began_).count();
}

double Tuner::waited() const {
  if (!clock_began_) return 0;
  return std::chrono::duration<double>(*clock_began_ - began_).count();
}

double Tuner::elapsed() const { return earlier_seconds_ + run_seconds(); }

void Tuner::publish() {
  const Clock::TimePoint now = parts_.clock.now();
  if (now - last_tick_ < kTickInterval) return;
  last_tick_ = now;
  board_.refresh(runner_, {elapsed(), plan_.budget().seconds, stop_.stopping(), plan_.any_ready(),
                           used_share(plan_.budget(), plan_.state().usage(elapsed())),
                           plan_.still_explores()});
  parts_.observer.tick(board_.status());
  if (now - last_status_ >= kStatusInterval) {
    last_status_ = now;
    parts_.journal.status("running", "", run_seconds());
  }
}

void Tuner::remark(const std::string& what, const std::string& text) {
  parts_.journal.remark(what, text, parts_.clock.unix_seconds());
  parts_.observer.remark(text, board_.status());
}

}  // namespace nightshift::scheduler
