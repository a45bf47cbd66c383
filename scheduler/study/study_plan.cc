#include "scheduler/study/study_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "scheduler/confirmation/evaluation_start.h"

namespace nightshift::scheduler {

using search::JobKind;
using search::TrialId;

StudyPlan::StudyPlan(const search::Problem& problem, const search::ParameterSpace& space,
                     search::Searcher& searcher)
    : problem_(problem),
      space_(space),
      proposals_(space, searcher),
      budget_(problem.budget),
      time_(problem),
      state_(problem, space),
      care_(problem.scheduling, problem.target),
      duel_time_(problem, state_),
      finishing_(problem, space, state_),
      front_rounds_(problem, state_),
      devices_needed_(search::devices_needed(problem.acceptance).count),
      builds_needed_(search::needs_build(problem)),
      recorded_(search::is_recorded(problem)) {}

// --- What happens ---

void StudyPlan::add_device(const std::string& key, const std::string& kind) {
  keys_.push_back(key);
  kinds_.push_back(kind);
  care_.add(state_.baselines().has(key));
}

void StudyPlan::lose_device(DeviceIndex device) {
  care_.retire(device);
  state_.expire(keys_[device]);
  state_.confirmations().drop(keys_[device]);
}

void StudyPlan::device_away(DeviceIndex device) {
  care_.set_away(device);
  state_.confirmations().drop(keys_[device]);
}

void StudyPlan::keep_devices(const std::vector<std::string>& keys) {
  state_.confirmations().keep(keys);
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
  result.device = end.device ? keys_[*end.device] : end.trial.device;
  result.artifact = std::move(end.artifact);
  result.started = end.started;
  result.finished = end.finished;
  result.building = end.building;
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
  const auto observation = state_.finished(trial, result);
  if (observation && trial.index) proposals_.tell(*trial.index, *observation);
}

bool StudyPlan::evaluated(const ProposedTrial& trial, const FinishedTrial& result,
                          DeviceIndex device, bool is_first_of_process, Clock::TimePoint now) {
  const search::TrialOutcome& outcome = result.report.outcome;
  lookahead_.learn(result.report.cost);
  if (trial.job == JobKind::kBaseline) {
    time_.baseline_took(evaluation_seconds(result));
  } else if (trial.job != JobKind::kExplore) {
    if (samples_of(trial) == 0) {
      time_.evaluation_took(evaluation_seconds(result), is_first_of_process);
    }
  } else if (std::holds_alternative<search::Measured>(outcome)) {
    time_.exploration_took(evaluation_seconds(result));
  }
  if (!search::is_baseline(trial.job)) {
    care_.trial_finished(device, outcome);
  } else if (!search::is_failure(outcome)) {
    care_.baseline_succeeded(device, now, evaluation_seconds(result));
  }
  const bool shows_level = trial.job == JobKind::kRebaseline || trial.arm == Arm::kBaseline;
  if (!shows_level || search::is_failure(outcome)) return false;
  const auto value = state_.baselines().value(keys_[device]);
  return value && *value > 0 && care_.drifted(device, std::log(*value));
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
    const std::uint64_t seed = seed_of(problem_, trial);
    TrialOrder& order = unfinished_.emplace_back();
    order.samples = samples_of(trial);
    order.trial = std::move(trial);
    order.seed = seed;
    order.deaths = recorded_ ? 0 : record.deaths;
  }
  if (proposals_.is_as_journaled()) return "";
  return "the searcher proposes other configurations than in the earlier run (another "
         "version or searcher); it goes on from what was measured";
}

// --- What is decided by ---

Situation StudyPlan::situation() const {
  Situation s;
  if (!awaits_baseline()) s.devices = devices_for_confirmations();
  s.exploring = still_explores();
  for (const std::string& key : s.exploring ? std::vector<std::string>{} : s.devices) {
    const auto device = std::ranges::find(keys_, key) - keys_.begin();
    s.kinds[kinds_[static_cast<std::size_t>(device)]].push_back(key);
  }
  s.duels = time_.allows_duel(moment_.elapsed);
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

// A device is about to take part: what is opened now would leave it out.
bool StudyPlan::awaits_baseline() const {
  for (DeviceIndex i = 0; i < care_.size(); ++i) {
    if (care_.owns(i) && !care_.ready(i)) return true;
  }
  return false;
}

bool StudyPlan::awaits_device() const {
  if (care_.awaits_return()) return true;
  return care_.awaits_loan() && has_work() && !winds_up() && !time_.is_up(moment_.elapsed);
}

bool StudyPlan::has_work() const {
  const ConfirmationPlanner& confirmations = state_.confirmations();
  return still_explores() || confirmations.any_waits() || confirmations.any_aside() ||
         confirmations.owes_hold_out();
}

std::string StudyPlan::why_never() const {
  const std::size_t devices = care_.in_service();
  const bool enough = devices >= static_cast<std::size_t>(devices_needed_);
  return enough || !has_work() ? "" : search::why_never(devices, problem_.acceptance);
}

// All that are owned and, where these are fewer than a confirmation usually has, some to borrow.
std::vector<std::string> StudyPlan::devices_for_confirmations() const {
  std::vector<std::string> devices;
  for (DeviceIndex i = 0; i < care_.size(); ++i) {
    if (care_.owns(i)) devices.push_back(keys_[i]);
  }
  const auto needed = static_cast<std::size_t>(search::devices_needed(problem_.acceptance).count);
  const std::size_t guests = std::min(time_.affordable_guests(), care_.size());
  const auto usual = std::min(static_cast<std::size_t>(ConfirmationPlanner::most_devices(problem_)),
                              std::max(needed, devices.size() + guests));
  for (DeviceIndex i = 0; i < care_.size() && !devices.empty() && devices.size() < usual; ++i) {
    if (care_.is_here(i) && !care_.owns(i)) devices.push_back(keys_[i]);
  }
  return devices;
}

bool StudyPlan::confirms_on(DeviceIndex device) const {
  const Confirmation* open = state_.confirmations().current();
  return open != nullptr &&
         std::ranges::find(open->setup().devices, keys_[device]) != open->setup().devices.end();
}

bool StudyPlan::wants_guest(DeviceIndex device) const {
  return care_.is_here(device) && !care_.owns(device) && confirms_on(device);
}

bool StudyPlan::can_spare(DeviceIndex device) const {
  return !care_.awaits_baseline(device) && !confirms_on(device);
}

bool StudyPlan::exploring() const {
  if (winds_up() || !enough_.empty()) return false;
  const Usage usage = usage_with_final_evaluations(moment_.elapsed);
  return !searcher_exhausted_ && usage.proposed < space_.size() &&
         exhausted(budget_, usage).empty();
}

bool StudyPlan::still_explores() const { return exploring() || state_.outstanding() > 0; }

DuelTime::Now StudyPlan::duel_time() const {
  DuelTime::Now now;
  now.exploring = still_explores();
  now.is_timed = budget_.seconds > 0 || budget_.simulated_seconds > 0;
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
  const int devices = static_cast<int>(care_.owned());
  int far = 0;
  for (DeviceIndex d = 0; d < care_.size(); ++d) far += care_.owns(d) && is_far(d) ? 1 : 0;
  return far + (builds_needed_ ? lookahead_.outstanding(devices, moment_.builders) : devices);
}

// --- The end of a budget of time ---

void StudyPlan::wind_up(double elapsed, double seconds) {
  cut_short_ = still_explores();
  time_.wind_up(elapsed, seconds);
}

// As if what comes after the exploration had been done already. A duel that is open counts as one
// that waits: it may have been waiting for its share of the time, and a budget that ends with its
// hold-out alone would cut it off without an answer. The two have a quarter of the budget each, at
// most: one bound for both let a long hold-out leave the duel nothing.
double StudyPlan::final_seconds() const {
  const Confirmation* open = state_.confirmations().current();
  const bool is_duel = open != nullptr && open->setup().purpose == Purpose::kDuel;
  const bool any_duel =
      is_duel || state_.confirmations().any_aside() || state_.confirmations().any_waits();
  return time_.for_hold_out() +
         time_.for_finishing(finishing_wanted_.alone, finishing_wanted_.pairs,
                             finishing_wanted_.rounds) +
         time_.for_front(front_rounds_.wanted()) + (any_duel ? time_.for_duels() : 0);
}

bool StudyPlan::is_final(double elapsed) const {
  return time_.limit() > 0 && elapsed + final_seconds() >= time_.limit();
}

Usage StudyPlan::usage_with_final_evaluations(double elapsed) const {
  return state_.usage(elapsed + final_seconds());
}

std::string StudyPlan::why_finished(double elapsed) const {
  std::string reason = exhausted(budget_, state_.usage(elapsed));
  if (!reason.empty()) return reason;
  if (state_.evaluations() >= space_.size()) {
    return fmt::format("all {} configurations of the space were evaluated", space_.size());
  }
  if (!enough_.empty()) return enough_;
  // Exploration may have ended early for the final duels and the hold-out, which took less time
  // than was kept for them.
  const bool kept =
      !searcher_exhausted_ && !exhausted(budget_, usage_with_final_evaluations(elapsed)).empty();
  if (!kept) return "the searcher has nothing more to propose";
  return fmt::format(
      "the time budget of {:g} s is used up but for {:.2g} s, which were kept for the last duels{} "
      "and the hold-out",
      budget_.seconds, budget_.seconds - elapsed,
      measures_front_again(problem_) ? ", the Pareto front" : "");
}

}  // namespace nightshift::scheduler
