#include "scheduler/study/study_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scheduler/confirmation/evaluation_start.h"

namespace nightshift::scheduler {

using search::JobKind;
using search::TrialId;

namespace {

// What baselines leave as well, such as a compiler's server, is nobody's gain.
void fail_for_left_running(search::TrialOutcome& outcome, const search::ProcessNames& usual) {
  const auto* measured = std::get_if<search::Measured>(&outcome);
  if (measured == nullptr) return;
  const auto left = search::beyond(search::left_running_in(measured->measurement), usual);
  if (left.empty()) return;
  outcome = search::LaunchFailed{search::left_running_complaint("it", left, "the baseline")};
}

}  // namespace

StudyPlan::StudyPlan(const search::Problem& problem, const search::ParameterSpace& space,
                     search::Searcher& searcher)
    : problem_(problem),
      space_(space),
      proposals_(space, searcher),
      time_(problem),
      patience_(problem, time_),
      state_(problem, space),
      devices_(problem),
      duel_time_(problem, state_),
      finishing_(problem, space, state_),
      front_rounds_(problem, state_),
      exploration_(problem, space, state_, time_, front_rounds_),
      builds_needed_(search::needs_build(problem)),
      recorded_(search::is_recorded(problem)) {}

// --- What happens ---

void StudyPlan::add_device(const std::string& key, const std::string& kind) {
  devices_.add(key, kind, state_.baselines().has(key));
}

void StudyPlan::lose_device(DeviceIndex device) {
  devices_.care().retire(device);
  state_.expire(devices_.key(device));
  state_.confirmations().open().drop(devices_.key(device));
}

void StudyPlan::device_away(DeviceIndex device) {
  devices_.care().set_away(device);
  state_.confirmations().open().drop(devices_.key(device));
}

void StudyPlan::keep_devices(const std::vector<std::string>& keys) {
  state_.confirmations().open().keep(keys);
}

void StudyPlan::limit_time(double seconds) {
  exploration_.limit_time(seconds);
  time_.limit(seconds);
}

void StudyPlan::apply(const StudyEvent& event) {
  std::visit([this](const auto& e) { on(e); }, event);
}

void StudyPlan::on(const TrialProposed& proposed) {
  const ProposedTrial& trial = proposed.trial;
  state_.proposed(trial);
  if (trial.job == JobKind::kConfirm) evaluating_[trial.id] = trial.device;
}

FinishedTrial StudyPlan::judged(TrialEnd&& end) const {
  FinishedTrial result;
  result.id = end.trial.id;
  result.report = std::move(end.report);
  result.attempts = end.attempts;
  result.device = end.device ? devices_.key(*end.device) : end.trial.device;
  result.artifact = std::move(end.artifact);
  result.started = end.started;
  result.finished = end.finished;
  result.building = end.building;
  if (!end.trial.configuration.is_baseline()) {
    fail_for_left_running(result.report.outcome, state_.left_by_baselines());
  }
  if (const auto* measured = std::get_if<search::Measured>(&result.report.outcome)) {
    const search::Scoring& scoring = state_.baselines().scoring();
    const search::Figures figures = scoring.figures_of(measured->measurement).value();
    result.value = figures[scoring.primary_position()].value;
    result.beyond_limits = scoring.beyond_limits(figures);
    if (!result.beyond_limits.empty()) return result;
    result.normalised = end.trial.job == JobKind::kBaseline
                            ? scoring.score(figures, search::exactly(figures))
                            : state_.baselines().score(result.device, figures, middle_of(result));
  } else if (const auto* twin = std::get_if<search::Skipped>(&result.report.outcome)) {
    result.normalised = state_.score_of(twin->same_as);
  }
  return result;
}

void StudyPlan::on(const TrialFinished& finished) {
  const auto& [trial, result] = finished;
  evaluating_.erase(trial.id);
  if (std::holds_alternative<search::Skipped>(result.report.outcome)) {
    lookahead_.learn_of_equal(result.report.cost.build);
  }
  const auto* measured = std::get_if<search::Measured>(&result.report.outcome);
  if (trial.job == JobKind::kBaseline && measured != nullptr) {
    time_.runs().learn(measured->measurement, evaluation_seconds(result));
  }
  const auto observation = state_.finished(trial, result);
  if (observation && trial.index) proposals_.tell(*trial.index, *observation);
}

bool StudyPlan::evaluated(const ProposedTrial& trial, const FinishedTrial& result,
                          DeviceIndex device, bool is_first_of_process, Clock::TimePoint now) {
  const search::TrialOutcome& outcome = result.report.outcome;
  lookahead_.learn(result.report.cost);
  const bool shows_level = trial.job == JobKind::kRebaseline || trial.arm == Arm::kBaseline;
  if (trial.job == JobKind::kBaseline) {
    const double share = time_.runs().share();
    time_.baseline_took(share * evaluation_seconds(result), share * result.report.cost.measure);
  } else if (trial.job != JobKind::kExplore) {
    if (!state_.is_by_far(trial.confirmation)) {
      time_.evaluation_took(evaluation_seconds(result), is_first_of_process, shows_level);
    }
  } else if (std::holds_alternative<search::Measured>(outcome)) {
    time_.exploration_took(evaluation_seconds(result));
  }
  if (!search::is_baseline(trial.job)) {
    devices_.care().trial_finished(device, outcome);
  } else if (!search::is_failure(outcome)) {
    devices_.care().baseline_succeeded(device, now, evaluation_seconds(result));
  } else if (search::ran_out_of_budget(outcome)) {
    devices_.care().baseline_lacked_time(device);
  }
  if (!shows_level || search::is_failure(outcome)) return false;
  const auto value = state_.baselines().value(devices_.key(device));
  return value && *value > 0 && devices_.care().drifted(device, std::log(*value));
}

// --- An earlier run ---

void StudyPlan::repeat(const StudyEvent& event) {
  if (const auto* proposed = std::get_if<TrialProposed>(&event)) {
    const ProposedTrial trial = proposals_.placed(proposed->trial);
    const bool was_asked = trial.job == JobKind::kExplore && !is_of_finishing(trial);
    if (trial.index && was_asked) proposals_.repeat(*trial.index);
    apply(TrialProposed{trial});
  } else if (const auto* finished = std::get_if<TrialFinished>(&event)) {
    apply(TrialFinished{proposals_.placed(finished->trial), finished->result});
  } else {
    apply(event);
  }
}

void StudyPlan::build_ahead() {
  builds_ahead_ = builds_needed_;
  for (TrialOrder& order : unfinished_) {
    order.ahead_of_device = builds_ahead_ && order.trial.job == JobKind::kExplore;
  }
}

std::string StudyPlan::take_up(const History& history) {
  for (const TrialRecord& record : history.trials) {
    if (record.finished) continue;
    ProposedTrial trial = proposals_.placed(record.proposed);
    std::optional<Purpose> purpose;
    if (trial.confirmation.value != 0) {
      purpose = history.confirmations.at(trial.confirmation.value - 1).purpose;
    }
    const std::uint64_t seed = seed_of(problem_, trial, purpose);
    TrialOrder& order = unfinished_.emplace_back();
    order.samples = samples_of(trial);
    order.trial = std::move(trial);
    order.seed = seed;
    order.deaths = recorded_ ? 0 : record.deaths;
  }
  state_.confirmations().take_up();
  if (proposals_.is_as_journaled()) return "";
  return "the searcher proposes other configurations than in the earlier run (another "
         "version or searcher); it goes on from what was measured";
}

// --- What is decided by ---

Situation StudyPlan::situation() const {
  Situation s;
  if (!devices_.any_awaited()) s.devices = devices_for_confirmations();
  s.exploring = still_explores();
  if (!s.exploring) s.kinds = devices_.by_kind(s.devices);
  s.duels = time_.allows_duel(moment_.elapsed);
  s.holds_out = time_.allows_hold_out(moment_.elapsed);
  s.drifts = !recorded_;
  s.run_seconds = moment_.elapsed;
  s.seconds_limit = time_.limit();
  s.evaluation_seconds = time_.evaluation_seconds();
  if (!s.exploring) s.front = [this] { return front_rounds_.next(front_now()); };
  s.promise = [this](TrialId candidate) { return gain_of(candidate); };
  s.hands_over = !s.duels && hands_over();
  if (const auto candidate = state_.confirmations().next_duel(s)) {
    s.hands_over =
        s.hands_over && gain_of(*candidate) > -std::log1p(-problem_.acceptance.min_improvement);
    s.duels_wait = !builds_stall() && duel_time_.waits(*candidate, duel_time());
  }
  return s;
}

bool StudyPlan::awaits_device() const {
  if (devices_.care().awaits_return()) return true;
  return devices_.care().awaits_loan() && has_work() && !winds_up() &&
         !time_.is_up(moment_.elapsed);
}

bool StudyPlan::has_work() const {
  const ConfirmationPlanner& confirmations = state_.confirmations();
  return still_explores() || confirmations.any_waits() || confirmations.open().any_aside() ||
         confirmations.owes_hold_out();
}

std::string StudyPlan::why_never() const {
  if (devices_.are_enough() || !has_work()) return "";
  return search::why_never(devices_.care().in_service(), problem_.acceptance);
}

bool StudyPlan::confirms_on(DeviceIndex device) const {
  const Confirmation* open = state_.confirmations().open().current();
  return open != nullptr && std::ranges::find(open->setup().devices, devices_.key(device)) !=
                                open->setup().devices.end();
}

bool StudyPlan::wants_guest(DeviceIndex device) const {
  return devices_.care().is_here(device) && !devices_.care().owns(device) && confirms_on(device);
}

bool StudyPlan::can_spare(DeviceIndex device) const {
  return !devices_.care().awaits_baseline(device) && !confirms_on(device);
}

bool StudyPlan::still_explores() const { return exploring() || state_.outstanding() > 0; }

DuelTime::Now StudyPlan::duel_time() const {
  DuelTime::Now now;
  now.exploring = still_explores();
  const search::Budget& budget = exploration_.budget();
  now.is_timed = budget.seconds > 0 || budget.simulated_seconds > 0;
  now.evaluation_seconds = time_.evaluation_seconds();
  if (const double limit = time_.limit(); limit > 0) {
    now.seconds_left = limit - moment_.elapsed - time_.for_short_hold_out();
  }
  return now;
}

int StudyPlan::outstanding_limit() const {
  const int wished = problem_.scheduling.outstanding;
  if (wished > 0) return wished;
  if (recorded_) return 1;
  const int devices = static_cast<int>(devices_.care().owned());
  int far = 0;
  for (DeviceIndex d = 0; d < devices_.care().size(); ++d)
    far += devices_.care().owns(d) && is_far(d) ? 1 : 0;
  return far + (builds_needed_ ? lookahead_.outstanding(devices, moment_.builders) : devices);
}

StudyTime::Least StudyPlan::least() const {
  if (!state_.baselines().any()) return {};  // one that failed tells nothing
  return time_.least(lookahead_.build_seconds(), moment_.builders);
}

// --- The end of a budget of time ---

void StudyPlan::wind_up(double elapsed, double seconds) {
  if (still_explores()) exploration_.cut_short();
  time_.wind_up(elapsed, seconds);
}

// Those of finishing rounds come when none of the others is outstanding. What still builds when the
// time of the last duels has come, and builds for long, is not waited for.
bool StudyPlan::explorations_are_over(double elapsed) const {
  const bool no_more = winds_up() || exploration_.was_stopped() ||
                       (builds_stall() && exploration_.is_final(elapsed));
  return (no_more && state_.outstanding() > 0) || time_.is_up(elapsed);
}

bool StudyPlan::is_settled() const {
  const OpenConfirmations& open = state_.confirmations().open();
  return open.current() == nullptr && !open.any_aside() && !awaits_device();
}

}  // namespace nightshift::scheduler
