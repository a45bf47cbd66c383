#include <algorithm>
#include <utility>

#include "scheduler/errors.h"
#include "scheduler/study/tuner_impl.h"
#include "search/rng.h"

namespace nightshift::scheduler {

namespace {
// On each device: a few duels that end early, or one that does not.
constexpr int kFinalDuelEvaluations = 120;
}  // namespace

using search::JobKind;
using search::TrialId;

void Tuner::Impl::fill() {
  if (interrupts_ > 0) return;
  abandon_unmeasured();
  settle();
  plan_baselines();
  plan_evaluations();
  ask();
  // Measuring goes first where both need the same cores: builds then fill the gaps.
  start_measurements();
  start_builds();
}

// When the time is up, configurations that wait are left as they are: proposed, for a resumed study
// to take up.
void Tuner::Impl::abandon_unmeasured() {
  if (!time_is_up()) return;
  std::erase_if(live_, [](const auto& entry) {
    return entry.second.proposed.job == JobKind::kExplore && !entry.second.measuring_on;
  });
  queue_.clear(JobKind::kExplore);
  twins_.clear();
}

void Tuner::Impl::settle() {
  Confirmation* confirmation = state_.confirmations().current();
  if (confirmation != nullptr && confirmation->setup().purpose != Purpose::kHoldOut &&
      !time_for(hold_out_evaluations())) {
    confirmation->abandon("the time budget was used up");
  }
  while ((confirmation = state_.confirmations().current()) != nullptr) {
    // Evaluations on their way are waited for, so that none outlives its confirmation.
    if (confirmation->verdict() == nullptr || has_evaluations()) return;
    conclude();
  }
  if (time_is_up() && !state_.confirmations().incumbent()) return;
  if (const auto setup = state_.confirmations().due(situation())) open(*setup);
}

// Of a budget of time; one of configurations loses none to duels.
bool Tuner::Impl::duels_had_their_share() const {
  const search::Budget& budget = parts_.problem.budget;
  const bool is_timed = budget.seconds > 0 || budget.simulated_seconds > 0;
  return is_timed && state_.duel_share() >= parts_.problem.acceptance.duel_share;
}

bool Tuner::Impl::still_explores() const { return exploring() || state_.status().outstanding > 0; }

Situation Tuner::Impl::situation() const {
  Situation s;
  for (DeviceIndex i = 0; i < care_.size(); ++i) {
    if (care_.ready(i)) s.devices.push_back(parts_.pool.devices()[i].key());
  }
  if (awaits_baseline()) s.devices.clear();
  s.exploring = still_explores();
  s.duels = time_for(hold_out_evaluations());
  s.duels_wait = s.exploring && duels_had_their_share();
  s.drifts = !recorded_;
  s.run_seconds = elapsed();
  return s;
}

// A device is about to take part: what is opened now would leave it out.
bool Tuner::Impl::awaits_baseline() const {
  for (DeviceIndex i = 0; i < care_.size(); ++i) {
    if (care_.in_service(i) && !care_.ready(i)) return true;
  }
  return false;
}

bool Tuner::Impl::has_evaluations() const {
  return std::ranges::any_of(
      live_, [](const auto& entry) { return entry.second.proposed.job == JobKind::kConfirm; });
}

void Tuner::Impl::open(const ConfirmationSetup& setup) {
  if (setup.purpose == Purpose::kCanary &&
      !parts_.space.index_of(parts_.problem.acceptance.canary)) {
    throw StudyError("the canary is no configuration of the space: " +
                     parts_.problem.acceptance.canary.to_json());
  }
  parts_.journal.open(setup, parts_.clock.unix_seconds());
  state_.opened(setup, elapsed());
  parts_.observer.confirmation_opened(setup, candidate_of(setup), state_.status());
}

search::Configuration Tuner::Impl::candidate_of(const ConfirmationSetup& setup) const {
  const auto index = state_.index_of(setup, Arm::kCandidate);
  return index ? parts_.space.configuration(*index) : search::Configuration();
}

Tuner::Impl::LiveTrial& Tuner::Impl::propose(ProposedTrial trial) {
  trial.id = state_.next_trial();
  parts_.journal.propose(trial, parts_.clock.unix_seconds());
  state_.proposed(trial);
  LiveTrial& live = live_[trial.id];
  live.proposed = std::move(trial);
  prepare(live.proposed.id);
  return live;
}

void Tuner::Impl::plan_baselines() {
  const Clock::TimePoint now = parts_.clock.now();
  for (DeviceIndex i = 0; i < care_.size(); ++i) {
    const DeviceCare::Need need = care_.need(i, now);
    if (need == DeviceCare::Need::kNothing) continue;
    if (need == DeviceCare::Need::kRefresh && !exploring()) continue;
    ProposedTrial trial;
    trial.job = need == DeviceCare::Need::kBaseline ? JobKind::kBaseline : JobKind::kRebaseline;
    trial.device = parts_.pool.devices()[i].key();
    care_.baseline_started(i);
    propose(std::move(trial));
  }
}

// Whether an evaluation is the first of its process. Each block of rounds has processes of its own,
// on hosts one for each arm. A recording would only be read again. On GPUs a block has vectors of
// its own (see seed_of) and only the claim at the end new processes, one a block: the driver makes
// and ends contexts one after the other, which with four GPUs takes a second for each.
bool Tuner::Impl::starts_process(const Evaluation& evaluation, Purpose purpose) const {
  if (recorded_ || !evaluation.fresh_process) return false;
  if (!search::is_on_gpus(parts_.problem)) return true;
  return purpose == Purpose::kHoldOut && evaluation.begins_round;
}

// One evaluation per free device, so that none is proposed that may never be needed. Duels that
// have had their share of the time wait between two pairs: made at once, one duel of noisy
// evaluations may take half of a short study.
void Tuner::Impl::plan_evaluations() {
  Confirmation* confirmation = state_.confirmations().current();
  if (confirmation == nullptr) return;
  const bool waits = confirmation->setup().purpose == Purpose::kDuel && still_explores() &&
                     duels_had_their_share();
  for (DeviceIndex i = 0; i < care_.size(); ++i) {
    if (!care_.ready(i) || !parts_.pool.can_measure(i)) continue;
    const std::string key = parts_.pool.devices()[i].key();
    const bool has_evaluation = std::any_of(live_.begin(), live_.end(), [&](const auto& entry) {
      return entry.second.proposed.job == JobKind::kConfirm && entry.second.proposed.device == key;
    });
    const auto evaluation = confirmation->next(key);
    if (has_evaluation || !evaluation || (waits && evaluation->begins_round)) continue;
    ProposedTrial trial;
    trial.job = JobKind::kConfirm;
    trial.device = key;
    trial.confirmation = confirmation->id();
    trial.candidate = confirmation->setup().candidate;
    trial.round = evaluation->round;
    trial.arm = evaluation->arm;
    trial.index = state_.index_of(confirmation->setup(), evaluation->arm);
    if (trial.index) trial.configuration = parts_.space.configuration(*trial.index);
    propose(std::move(trial)).wants_fresh_process =
        starts_process(*evaluation, confirmation->setup().purpose);
  }
}

int Tuner::Impl::outstanding_limit() const {
  const int wished = parts_.problem.scheduling.outstanding;
  if (wished > 0) return wished;
  if (recorded_) return 1;
  const int devices = static_cast<int>(care_.size());
  return builds_needed_ ? lookahead_.outstanding(devices, parts_.pool.builder_count()) : devices;
}

bool Tuner::Impl::time_is_up() const {
  const double limit = parts_.problem.budget.seconds;
  return limit > 0 && elapsed() >= limit;
}

// Evaluations of the final claim on each device, at least; and with the duels that come before it.
int Tuner::Impl::hold_out_evaluations() const {
  const search::AcceptanceSettings& acceptance = parts_.problem.acceptance;
  return acceptance.hold_out_most > 0 ? 2 * acceptance.hold_out_least : 0;
}
int Tuner::Impl::final_evaluations() const {
  return hold_out_evaluations() + (state_.confirmations().any_waits() ? kFinalDuelEvaluations : 0);
}

// What that many evaluations in a row take, by the evaluations so far; at most a quarter of the
// budget.
double Tuner::Impl::seconds_for(int evaluations) const {
  const double limit = parts_.problem.budget.seconds;
  if (limit <= 0 || evaluations_ == 0) return 0;
  return std::min(limit / 4, evaluations * evaluation_seconds_ / static_cast<double>(evaluations_));
}

bool Tuner::Impl::time_for(int evaluations) const {
  const double limit = parts_.problem.budget.seconds;
  return limit <= 0 || elapsed() + seconds_for(evaluations) < limit;
}

// As if what comes after the exploration had been done already.
Usage Tuner::Impl::usage_with_final_evaluations() const {
  return state_.usage(elapsed() + seconds_for(final_evaluations()));
}

// More configurations are to come.
bool Tuner::Impl::exploring() const {
  const Usage usage = usage_with_final_evaluations();
  return !searcher_exhausted_ && usage.proposed < parts_.space.size() &&
         exhausted(parts_.problem.budget, usage).empty();
}

std::optional<search::ConfigurationIndex> Tuner::Impl::next_proposal() {
  while (true) {
    const auto proposals =
        unplaced_.empty() ? parts_.searcher.ask(1) : std::exchange(unplaced_, {});
    if (proposals.empty()) return std::nullopt;
    // Only a searcher that took over from another proposes what was proposed before.
    if (!state_.was_proposed(proposals.front())) return proposals.front();
  }
}

void Tuner::Impl::ask() {
  if (!care_.any_ready()) return;
  const auto limit = static_cast<std::uint64_t>(outstanding_limit());
  while (state_.status().outstanding < limit && exploring()) {
    const auto index = next_proposal();
    if (!index) {
      searcher_exhausted_ = state_.status().outstanding == 0;
      return;
    }
    ProposedTrial trial;
    trial.index = *index;
    trial.configuration = parts_.space.configuration(*index);
    propose(std::move(trial));
  }
}

BuildKey Tuner::Impl::own_key(const ProposedTrial& trial) const {
  if (!trial.index) return {BuildKey::Kind::kBaseline, {}};
  return {BuildKey::Kind::kCandidate, *trial.index};
}

// Every answer is checked against the reference, or where the problem has none, against the
// baseline.
BuildKey Tuner::Impl::reference_key() const {
  const bool given = search::has_reference(parts_.problem);
  return {given ? BuildKey::Kind::kReference : BuildKey::Kind::kBaseline, {}};
}

std::optional<BuildKey> Tuner::Impl::missing_build(const LiveTrial& trial) const {
  for (const BuildKey& key : {reference_key(), own_key(trial.proposed)}) {
    if (builds_.find(key) == nullptr) return key;
  }
  return std::nullopt;
}

void Tuner::Impl::prepare(TrialId id) {
  LiveTrial& trial = live_.at(id);
  if (builds_needed_) {
    if (const auto key = missing_build(trial)) {
      builds_.request(*key, id);
      return;
    }
    trial.reference = builds_.find(reference_key())->path;
    trial.artifact = *builds_.find(own_key(trial.proposed));
    if (trial.proposed.job == JobKind::kExplore && speaks_for(trial)) return;
  }
  make_ready(trial);
}

void Tuner::Impl::make_ready(LiveTrial& trial) {
  queue_.push(trial.proposed.id, trial.proposed.job, trial.proposed.device, trial.attempt > 1);
}

void Tuner::Impl::start_builds() {
  while (parts_.pool.can_build()) {
    const auto order = builds_.next();
    if (!order) return;
    const auto requester = live_.find(order->trial);
    if (requester == live_.end()) {
      drop_build(order->trial);
      continue;
    }
    BuildOrder build;
    build.trial = order->trial;
    build.attempt = requester->second.attempt;
    build.request.target = order->key.kind == BuildKey::Kind::kReference
                               ? ipc::BuildTarget::kReference
                               : ipc::BuildTarget::kCandidate;
    if (order->key.kind == BuildKey::Kind::kCandidate) {
      build.request.configuration = requester->second.proposed.configuration;
    }
    parts_.journal.note(order->trial, TrialState::kBuilding, build.attempt, "", "",
                        parts_.clock.unix_seconds());
    parts_.pool.build(build);
  }
}

void Tuner::Impl::start_measurements() {
  for (DeviceIndex i = 0; i < care_.size(); ++i) {
    if (!care_.in_service(i) || !parts_.pool.can_measure(i)) continue;
    if (const auto id = take_for(i)) measure(live_.at(*id), i);
  }
}

// Nothing but its baseline runs on a device that is not ready.
std::optional<TrialId> Tuner::Impl::take_for(DeviceIndex device) {
  const std::string& key = state_.status().devices[device].device.key();
  if (auto id = queue_.take(JobKind::kBaseline, key)) return id;
  if (!care_.ready(device)) return queue_.take(JobKind::kRebaseline, key);
  for (const JobKind kind : {JobKind::kConfirm, JobKind::kRebaseline, JobKind::kExplore}) {
    if (auto id = queue_.take(kind, key)) return id;
  }
  return std::nullopt;
}

// Kernels get the same inputs in every evaluation of an exploration, so that the reference is
// computed once; each block of rounds of a confirmation has inputs of its own, the same in both
// arms: what is accepted has been right on inputs that it was not chosen by. On GPUs other inputs
// also lie at other places.
std::uint64_t Tuner::Impl::seed_of(const ProposedTrial& trial) const {
  const std::uint64_t seed = parts_.problem.scheduling.seed;
  if (!builds_needed_) return search::mix_seed(seed, trial.id.value);
  if (trial.job != JobKind::kConfirm) return seed;
  const int block = trial.round / Confirmation::kRoundsOfBlock;
  return search::mix_seed(search::mix_seed(seed, trial.confirmation.value),
                          static_cast<std::uint64_t>(block));
}

void Tuner::Impl::measure(LiveTrial& trial, DeviceIndex device) {
  DeviceStatus& shown = state_.status().devices[device];
  shown.state = DeviceStatus::State::kMeasuring;
  shown.trial = trial.proposed.id;
  shown.job = trial.proposed.job;
  trial.measuring_on = device;
  if (trial.started == 0) trial.started = parts_.clock.unix_seconds();
  ++measuring_;
  parts_.journal.note(trial.proposed.id, TrialState::kRunning, trial.attempt, shown.device.key(),
                      "", parts_.clock.unix_seconds());
  MeasureOrder order;
  order.trial = trial.proposed.id;
  order.attempt = trial.attempt;
  order.device = device;
  order.fresh_process = trial.wants_fresh_process;
  order.request.configuration = trial.proposed.configuration;
  order.request.artifact = trial.artifact.path;
  order.request.reference = trial.reference;
  order.request.sampling = parts_.problem.sampling;
  if (trial.proposed.job == JobKind::kExplore) {
    order.request.give_up_above =
        parts_.problem.sampling.give_up_ratio * state_.best_cost(shown.device.key());
  } else {
    order.request.sampling.precision = 0;  // the same number of samples in all that is compared
  }
  order.request.seed = seed_of(trial.proposed);
  parts_.pool.measure(order);
}

}  // namespace nightshift::scheduler
