// What comes next in a study: the part of StudyPlan that makes its steps.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scheduler/confirmation/evaluation_start.h"
#include "scheduler/confirmation/out_of_time.h"
#include "scheduler/errors.h"
#include "scheduler/study/study_plan.h"

namespace nightshift::scheduler {

using search::JobKind;

namespace {
constexpr int kFewestSamples = 3;
}  // namespace

void StudyPlan::begin_turn(const Moment& moment) {
  moment_ = moment;
  time_.others_had(moment.others);
  if (moment.explores || !explored_at_) explored_at_ = moment.now;
  stage_ = Stage::kSettle;
  device_ = 0;
}

std::optional<StudyPlan::Step> StudyPlan::next() {
  const auto enter = [this](Stage stage) {
    stage_ = stage;
    device_ = 0;
  };
  if (stage_ == Stage::kSettle) {
    if (auto step = settle()) {
      // What needs no pairs has its verdict at once.
      const auto* open = std::get_if<Open>(&*step);
      if (open != nullptr && !open->setup.devices.empty()) enter(Stage::kBaselines);
      return step;
    }
    enter(Stage::kBaselines);
  }
  if (stage_ == Stage::kBaselines) {
    if (auto step = next_baseline()) return step;
    enter(Stage::kEvaluations);
  }
  if (stage_ == Stage::kEvaluations) {
    if (auto step = next_evaluation()) return step;
    enter(Stage::kAsk);
  }
  return next_exploration();
}

std::optional<StudyPlan::Step> StudyPlan::settle() {
  Confirmation* confirmation = state_.confirmations().open().current();
  if (confirmation != nullptr) end_in_time(*confirmation);
  if (confirmation != nullptr && confirmation->rests() && evaluating_.empty()) {
    weigh(*confirmation);
    confirmation = state_.confirmations().open().current();
  }
  if (confirmation != nullptr) {
    // Evaluations on their way are waited for, so that none outlives its confirmation.
    if (confirmation->verdict() == nullptr || !evaluating_.empty()) return std::nullopt;
    return conclude(*confirmation);
  }
  Situation now = situation();
  if (const Confirmation* stale = state_.confirmations().stale(now)) return conclude(*stale);
  const bool any_candidate =
      state_.confirmations().any_waits() || state_.confirmations().open().any_aside();
  const bool may_win = !time_.is_up(moment_.elapsed) && (!winds_up() || any_candidate);
  if (!may_win && !state_.confirmations().incumbent()) return std::nullopt;
  if (state_.confirmations().may_finish(now)) {
    Finishing::Step step = finishing_step();
    now.finishes = !std::holds_alternative<Finishing::Over>(step);
    if (auto* round = std::get_if<ConfirmationSetup>(&step)) now.finishing = std::move(*round);
  }
  auto due = state_.due(now);
  if (!due) return std::nullopt;
  if (due->purpose == Purpose::kCanary && !space_.index_of(problem_.acceptance.canary)) {
    throw StudyError("the canary is no configuration of the space: " +
                     problem_.acceptance.canary.to_json());
  }
  return Open{std::move(*due)};
}

// A hold-out has what was kept for it, also where it began late; after it nothing is kept back.
void StudyPlan::end_in_time(Confirmation& confirmation) {
  const std::string why(winds_up() ? kWindUpIsUp : kBudgetIsUp);
  const Purpose purpose = confirmation.setup().purpose;
  if (purpose != Purpose::kHoldOut) {
    // What a first baseline lets expect is too rough to leave a self-test out, which shows more.
    const bool until_the_end =
        purpose == Purpose::kFront || (purpose == Purpose::kSelfTest && time_.is_rough());
    const bool has_time =
        until_the_end ? !time_.is_up(moment_.elapsed) : time_.allows_duel(moment_.elapsed);
    if (has_time) return;
    if (purpose == Purpose::kDuel && hands_over()) {
      confirmation.hand_over(gain_of(confirmation.setup().candidate), std::string(kLeftForHoldOut));
    } else {
      confirmation.abandon(time_.is_up(moment_.elapsed) ? why : std::string(kLeftForHoldOut));
    }
    return;
  }
  patience_.holds_out(confirmation.id(), confirmation.setup().pairs, moment_.elapsed);
  const bool had_its_time = patience_.hold_out_had_its_time(moment_.elapsed);
  // Devices whose baselines the end of the time cut off do not come back for the pair.
  const bool goes_on = !evaluating_.empty() || devices_.care().any_at_work();
  const bool ends_soon = goes_on && confirmation.last_pair_is_under_way();
  if (time_.is_up(moment_.elapsed) && had_its_time && !ends_soon) confirmation.cut_off(why);
}

bool StudyPlan::hands_over() const {
  return problem_.acceptance.hold_out_most > 0 && !state_.confirmations().incumbent() &&
         !still_explores() && !time_.is_up(moment_.elapsed) &&
         time_.allows_hold_out(moment_.elapsed);
}

StudyPlan::Step StudyPlan::conclude(const Confirmation& confirmation) {
  const ConfirmationSetup& setup = confirmation.setup();
  return Conclude{setup, {setup.id, setup.candidate, *confirmation.verdict()}};
}

void StudyPlan::weigh(Confirmation& duel) {
  const DuelTime::Now now = duel_time();
  if (duel_time_.is_lost(duel, now)) {
    const double least = -std::log1p(-problem_.acceptance.min_improvement);
    if (gain_of(duel.setup().candidate) >= least) return duel.give_up_for_time();
    return duel.give_up("what it seems to gain is below acceptance.min_improvement");
  }
  const auto other = state_.confirmations().next_duel(situation());
  if (other && duel_time_.gives_way(duel, *other, now)) state_.confirmations().open().set_aside();
}

StudyPlan::Propose StudyPlan::propose(ProposedTrial trial, bool fresh_process,
                                      std::optional<Purpose> purpose) const {
  trial.id = state_.next_trial();
  const std::uint64_t seed = seed_of(problem_, trial, purpose);
  const int samples = samples_of(trial);
  Propose proposed{{std::move(trial), seed, fresh_process}};
  proposed.order.samples = samples;
  return proposed;
}

int StudyPlan::samples_of(const ProposedTrial& trial) const {
  const int runs = trial.job == JobKind::kBaseline ? 0 : time_.runs().count();
  if (!state_.is_by_far(trial.confirmation)) return runs;
  const int all = problem_.sampling.samples;
  return std::min(runs > 0 ? runs : all, std::max(kFewestSamples, all / 4));
}

std::optional<StudyPlan::Step> StudyPlan::next_baseline() {
  for (; device_ < devices_.care().size(); ++device_) {
    const DeviceCare::Need need = devices_.care().need(device_, moment_.now);
    if (need == DeviceCare::Need::kNothing) continue;
    if (need == DeviceCare::Need::kRefresh && !exploring()) continue;
    if (devices_.care().lacked_time(device_) && time_.is_up(moment_.elapsed)) continue;
    ProposedTrial trial;
    trial.job = need == DeviceCare::Need::kBaseline ? JobKind::kBaseline : JobKind::kRebaseline;
    trial.device = devices_.key(device_);
    devices_.care().baseline_started(device_);
    return propose(std::move(trial));
  }
  return std::nullopt;
}

// One evaluation per free device, so that none is proposed that may never be needed. Duels that
// have to wait do so between two pairs.
std::optional<StudyPlan::Step> StudyPlan::next_evaluation() {
  const Confirmation* confirmation = state_.confirmations().open().current();
  if (confirmation == nullptr) return std::nullopt;
  const ConfirmationSetup& setup = confirmation->setup();
  if (setup.purpose == Purpose::kHoldOut) {
    patience_.holds_out(setup.id, setup.pairs, moment_.elapsed);  // from its first evaluation on
  }
  const bool waits = duel_waits();
  for (; device_ < devices_.care().size(); ++device_) {
    if (!devices_.care().ready(device_) || !moment_.free[device_]) continue;
    const std::string& key = devices_.key(device_);
    const auto evaluation = confirmation->next(key);
    if (is_evaluating(key) || !evaluation || (waits && evaluation->begins_round)) continue;
    ProposedTrial trial;
    trial.job = JobKind::kConfirm;
    trial.device = key;
    trial.confirmation = confirmation->id();
    trial.candidate = setup.candidate;
    trial.round = evaluation->round;
    trial.arm = evaluation->arm;
    trial.index = state_.index_of(setup, evaluation->arm);
    if (trial.index) trial.configuration = space_.configuration(*trial.index);
    return propose(std::move(trial), starts_process(problem_, *evaluation, setup.purpose),
                   setup.purpose);
  }
  return std::nullopt;
}

bool StudyPlan::duel_waits() const {
  const ConfirmationSetup& setup = state_.confirmations().open().current()->setup();
  return setup.purpose == Purpose::kDuel && !builds_stall() &&
         duel_time_.waits(setup.candidate, duel_time());
}

bool StudyPlan::builds_stall() const {
  constexpr auto kLong = std::chrono::seconds(1);
  return builds_needed_ && explored_at_ && state_.outstanding() > 0 &&
         moment_.now - *explored_at_ >= kLong;
}

bool StudyPlan::is_evaluating(const std::string& key) const {
  return std::ranges::any_of(evaluating_, [&](const auto& e) { return e.second == key; });
}

bool StudyPlan::is_far(DeviceIndex device) const {
  return device < moment_.delay.size() && lookahead_.is_far(moment_.delay[device]);
}

bool StudyPlan::looks_ahead(DeviceIndex device) const {
  if (!is_far(device) || !devices_.care().owns(device) || !devices_.care().ready(device))
    return false;
  if (explorations_are_over(moment_.elapsed)) return false;
  const Confirmation* confirmation = state_.confirmations().open().current();
  if (confirmation == nullptr) return true;
  const auto evaluation = confirmation->next(devices_.key(device));
  return !is_evaluating(devices_.key(device)) &&
         (!evaluation || (evaluation->begins_round && duel_waits()));
}

std::optional<StudyPlan::Step> StudyPlan::next_exploration() {
  const bool is_ahead = builds_ahead_ && devices_.care().owned() == 0 && exploring();
  if (!devices_.care().any_ready() && !is_ahead) return std::nullopt;
  if (!exploring()) return next_simplification();
  // Suspects come after all that the searcher proposes, and so take the place of none of it.
  const std::uint64_t waiting = std::min<std::uint64_t>(moment_.suspects, state_.outstanding());
  const std::uint64_t under_way = state_.outstanding() - waiting;
  if (under_way >= static_cast<std::uint64_t>(outstanding_limit())) return std::nullopt;
  const auto index = proposals_.next(state_);
  if (!index) {
    exploration_.exhaust(state_.outstanding() == 0);
    if (state_.outstanding() > 0) return std::nullopt;
    begin_turn(moment_);  // the last duels and the hold-out are due
    return next();
  }
  ProposedTrial trial;
  trial.index = *index;
  trial.configuration = space_.configuration(*index);
  Propose proposed = propose(std::move(trial));
  proposed.order.ahead_of_device = is_ahead;
  return proposed;
}

std::optional<StudyPlan::Step> StudyPlan::next_simplification() {
  const bool busy = still_explores() || state_.confirmations().open().current() != nullptr;
  if (busy || !state_.confirmations().may_finish(situation())) return std::nullopt;
  const Finishing::Step step = finishing_step();
  const auto* explore = std::get_if<Finishing::Explore>(&step);
  if (explore == nullptr) return std::nullopt;
  ProposedTrial trial;
  trial.index = explore->index;
  trial.configuration = space_.configuration(explore->index);
  trial.candidate = explore->winner;
  return propose(std::move(trial));
}

Finishing::Step StudyPlan::finishing_step() const {
  Finishing::Now now;
  now.devices = devices_for_confirmations();
  now.evaluation_seconds = time_.evaluation_seconds();
  now.most_under_way = outstanding_limit();
  if (const double limit = time_.limit(); limit > 0) {
    const auto devices = static_cast<double>(std::max<std::size_t>(now.devices.size(), 1));
    const double share =
        problem_.acceptance.finish_share * limit - state_.finishing_seconds() / devices;
    now.seconds_left = std::min(limit - moment_.elapsed - time_.for_hold_out(), share);
  }
  return finishing_.next(now);
}

FrontRounds::Now StudyPlan::front_now() const {
  FrontRounds::Now now;
  now.devices = devices_.ready();
  now.evaluation_seconds = time_.evaluation_seconds();
  if (time_.limit() > 0) now.seconds_left = time_.limit() - moment_.elapsed;
  return now;
}

void StudyPlan::on(const ConfirmationConcluded& concluded) {
  const ConfirmationVerdict& verdict = concluded.verdict;
  const auto before = state_.confirmations().winner();
  state_.concluded(verdict);
  if (state_.confirmations().winner() == before) return;
  const auto devices = static_cast<int>(verdict.verdict.devices.size());
  exploration_.keep_for_finishing(finishing_.wanted(devices));
}

// Nothing but its baseline runs on a device that is not ready.
std::vector<JobKind> StudyPlan::may_begin(DeviceIndex device) const {
  if (!devices_.care().in_service(device)) return {};
  if (!devices_.care().ready(device)) return {JobKind::kBaseline, JobKind::kRebaseline};
  if (!devices_.care().owns(device)) {
    return {JobKind::kBaseline, JobKind::kConfirm, JobKind::kRebaseline};
  }
  return {JobKind::kBaseline, JobKind::kConfirm, JobKind::kRebaseline, JobKind::kExplore};
}

EvaluationTerms StudyPlan::terms_for(DeviceIndex device) const {
  const double baseline = devices_.care().baseline_seconds(device), elapsed = moment_.elapsed;
  const Confirmation* current = state_.confirmations().open().current();
  const auto id = current == nullptr ? search::ConfirmationId{} : current->id();
  return {problem_.sampling.give_up_ratio * state_.best_cost(devices_.key(device)),
          patience_.exploring(baseline, elapsed), patience_.comparing(baseline, elapsed, id),
          patience_.of_baseline(elapsed)};
}

}  // namespace nightshift::scheduler
