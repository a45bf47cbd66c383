#include "scheduler/study/study_state.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <variant>

#include "scheduler/trials/tolerance_advice.h"

namespace nightshift::scheduler {

using search::ConfigurationIndex;
using search::JobKind;
using search::TrialId;

StudyState::StudyState(const search::Problem& problem, const search::ParameterSpace& space)
    : problem_(problem),
      space_(space),
      baselines_(problem),
      confirmations_(problem),
      front_(problem) {}

void StudyState::proposed(const ProposedTrial& trial) {
  last_trial_ = std::max(last_trial_, trial.id.value);
  if (known_.size() < trial.id.value) known_.resize(trial.id.value);
  const bool simplifies = is_of_finishing(trial);
  known_[trial.id.value - 1] = {trial.job, trial.index, {}, {}, 0, {}, {}, simplifies};
  if (trial.job == JobKind::kExplore && trial.index) {
    asked_.emplace(*trial.index, trial.id);
    if (!simplifies) ++outstanding_;
  }
  if (trial.job != JobKind::kConfirm) return;
  confirmations_.open().go_on(trial.confirmation);
  if (Confirmation* confirmation = confirmations_.open().find(trial.confirmation)) {
    confirmation->started({trial.device, trial.round, trial.arm, false});
  }
}

std::optional<search::Observation> StudyState::finished(const ProposedTrial& trial,
                                                        const FinishedTrial& result) {
  Known& known = known_[trial.id.value - 1];
  known.score = result.normalised;
  known.is_simplifying = false;
  if (const auto* twin = std::get_if<search::Skipped>(&result.report.outcome)) {
    known.twin = twin->same_as;
  }
  if (baselines_.scoring().has_front()) known.objectives = objectives_of(trial, result);
  if (trial.job == JobKind::kConfirm) front_.evaluated(trial, result);
  const bool measured = std::holds_alternative<search::Measured>(result.report.outcome);
  if (trial.job == JobKind::kExplore && measured && result.beyond_limits.empty()) {
    front_.explored(trial.id, known.objectives);
  }
  simulated_ += result.report.cost.simulated;
  count_time(trial, result);
  std::optional<search::Observation> observation;
  switch (trial.job) {
    case JobKind::kExplore:
      observation = is_of_finishing(trial) ? simplified(result) : explored(trial, result);
      break;
    case JobKind::kConfirm:
      confirmed(trial, result);
      break;
    case JobKind::kBaseline:
    case JobKind::kRebaseline:
      break;
  }
  const bool is_baseline = trial.job == JobKind::kBaseline || trial.job == JobKind::kRebaseline ||
                           trial.arm == Arm::kBaseline;
  if (is_baseline) baseline_measured(result);
  return observation;
}

void StudyState::count_time(const ProposedTrial& trial, const FinishedTrial& result) {
  const double seconds =
      search::is_recorded(problem_) ? result.report.cost.simulated : evaluation_seconds(result);
  measured_seconds_ += seconds;
  if (seconds > 0) ++timed_;
  const Confirmation* confirmation = confirmations_.open().find(trial.confirmation);
  const bool in_duel = confirmation != nullptr && confirmation->setup().purpose == Purpose::kDuel;
  const bool in_round =
      confirmation != nullptr && confirmation->setup().purpose == Purpose::kFinishing;
  if (in_duel) duel_seconds_ += seconds;
  if (in_round || is_of_finishing(trial)) finishing_seconds_ += seconds;
}

void StudyState::baseline_measured(const FinishedTrial& result) {
  if (const auto* measured = std::get_if<search::Measured>(&result.report.outcome)) {
    left_by_baselines_.merge(search::left_running_in(measured->measurement));
  }
  auto figures = figures_of(result);
  if (!figures) return;
  baselines_.record(result.device, std::move(*figures), middle_of(result));
  const auto node = unsettled_.extract(result.device);
  if (node.empty()) return;
  for (const TrialId id : node.mapped()) {
    Known& known = known_[id.value - 1];
    known.score = baselines_.score(result.device, *known.figures, known.at);
    known.figures.reset();
    if (!known.score) continue;
    confirmations_.rescored(id, known.score->value);
    confirmations_.explored_on(result.device, id, std::exp(screened(*known.score).mean));
  }
}

std::optional<search::Figures> StudyState::figures_of(const FinishedTrial& result) const {
  const auto* measured = std::get_if<search::Measured>(&result.report.outcome);
  if (measured == nullptr) return std::nullopt;
  return baselines_.scoring().figures_of(measured->measurement);
}

std::vector<search::Score> StudyState::objectives_of(const ProposedTrial& trial,
                                                     const FinishedTrial& result) const {
  if (const auto* twin = std::get_if<search::Skipped>(&result.report.outcome)) {
    const bool known = twin->same_as.value > 0 && twin->same_as.value <= known_.size();
    return known ? known_[twin->same_as.value - 1].objectives : std::vector<search::Score>{};
  }
  const auto figures = figures_of(result);
  if (!figures) return {};
  if (trial.job == JobKind::kBaseline) {
    return baselines_.scoring().objectives(*figures, search::exactly(*figures));
  }
  return baselines_.objectives(result.device, *figures, middle_of(result));
}

search::Observation StudyState::explored(const ProposedTrial& trial, const FinishedTrial& result) {
  const search::TrialOutcome& outcome = result.report.outcome;
  if (outstanding_ > 0) --outstanding_;
  ++evaluations_;
  ++stalled_;
  confirmations_.explored();
  const bool measured = result.normalised && std::holds_alternative<search::Measured>(outcome);
  const bool censored = measured && std::get<search::Measured>(outcome).measurement.censored;
  search::Observation told{.score = result.normalised, .censored = censored, .objectives = {}};
  told.code = twin_of(trial.id).value_or(trial.id).value;
  if (measured) {
    const search::Shrunken log = screened(*result.normalised);
    if (!censored) screening_.add(std::log(result.normalised->value), error_of(*result.normalised));
    told.score = search::Score{std::exp(log.mean), std::exp(log.mean) * log.sd};
  }
  if (told.score) told.objectives = known_[trial.id.value - 1].objectives;
  if (!measured || censored) return told;
  const double score = result.normalised->value;
  if (!best_score_ || score < *best_score_) {
    best_score_ = score;
    stalled_ = 0;
  }
  Known& known = known_[trial.id.value - 1];
  known.figures = figures_of(result);
  known.at = middle_of(result);
  if (known.figures) unsettled_[result.device].push_back(trial.id);
  confirmations_.waits(trial.id, score);
  confirmations_.explored_on(result.device, trial.id, told.score->value);
  return told;
}

// The searcher may go on one day, and is not to ask for it again. Nothing else learns of it: it is
// no candidate of a duel, and none of the configurations that a budget counts.
search::Observation StudyState::simplified(const FinishedTrial& result) const {
  search::Observation told{.score = result.normalised, .censored = false, .objectives = {}};
  told.code = twin_of(result.id).value_or(result.id).value;
  if (const auto* m = std::get_if<search::Measured>(&result.report.outcome)) {
    told.censored = m->measurement.censored;
    told.objectives = known_[result.id.value - 1].objectives;
  }
  return told;
}

// The samples of one evaluation know nothing of what differs between evaluations, so that is added.
double StudyState::error_of(const search::Score& score) const {
  const double within = std::isfinite(score.standard_error) ? score.standard_error : 0;
  return std::hypot(within / score.value, kBothEvaluations * baselines_.evaluation_error());
}

search::Shrunken StudyState::screened(const search::Score& score) const {
  return screening_.shrunken(std::log(score.value), error_of(score));
}

search::Prospect StudyState::prospect(TrialId candidate) const {
  search::Prospect prospect;
  if (const auto score = score_of(candidate); score && score->value > 0) {
    const search::Shrunken log = screened(*score);
    prospect = {-log.mean - confirmations_.gain(), log.sd};
  }
  const Confirmation* duel = confirmations_.open().duel_of(candidate);
  return duel == nullptr ? prospect : duel->prospect(prospect);
}

double StudyState::pair_sd(TrialId candidate) const {
  const Confirmation* duel = confirmations_.open().duel_of(candidate);
  if (duel != nullptr && duel->rests()) return duel->pair_sd();
  return std::numbers::sqrt2 * baselines_.evaluation_error();
}

void StudyState::confirmed(const ProposedTrial& trial, const FinishedTrial& result) {
  Confirmation* confirmation = confirmations_.open().find(trial.confirmation);
  if (confirmation == nullptr) return;
  EvaluationResult evaluation;
  evaluation.started = result.started;
  evaluation.finished = result.finished;
  evaluation.failure = search::describe(result.report.outcome);
  evaluation.failure += tolerance_advice(problem_, result.report.outcome);
  evaluation.is_blameless = search::is_blameless(result.report.outcome);
  evaluation.beyond_limits = result.beyond_limits;
  if (const auto* m = std::get_if<search::Measured>(&result.report.outcome)) {
    evaluation.disturbance = m->measurement.disturbance;
    if (const auto figures = figures_of(result)) {
      evaluation.cost = baselines_.cost(result.device, *figures);
      evaluation.case_costs = baselines_.scoring().case_costs(*figures);
    }
    evaluation.tail = baselines_.scoring().tail_cost(m->measurement);
  }
  confirmation->finished({trial.device, trial.round, trial.arm, false}, evaluation);
}

void StudyState::opened(const ConfirmationSetup& setup, double run_seconds) {
  if (promises_by_far(setup)) by_far_.insert(setup.id.value);
  confirmations_.opened(setup, run_seconds);
  front_.opened(setup);
}

// Few samples have no tail, and no p95.
bool StudyState::promises_by_far(const ConfirmationSetup& setup) const {
  using search::Statistic;
  const Statistic statistic = baselines_.scoring().primary().statistic;
  if (setup.purpose != Purpose::kDuel || baselines_.scoring().sought().size() > 1 ||
      problem_.acceptance.tail == search::TailRule::kReject || statistic == Statistic::kP95 ||
      statistic == Statistic::kP99) {
    return false;
  }
  return search::promises_landslide_by_far(prospect(setup.candidate).gain,
                                           pair_sd(setup.candidate));
}

void StudyState::concluded(const ConfirmationVerdict& verdict) {
  const auto before = confirmations_.incumbent();
  confirmations_.concluded(verdict);
  if (confirmations_.incumbent() != before) evaluations_at_gain_ = evaluations_;
}

double StudyState::best_cost(const std::string& device) const {
  const search::Scoring& scoring = baselines_.scoring();
  const auto baseline = baselines_.value(device);
  if (!baseline || scoring.exponent(scoring.primary_position()) == 0 || scoring.all().size() > 1) {
    return 0;
  }
  const bool minimised = scoring.primary().direction == search::Direction::kMinimise;
  const double cost = minimised ? *baseline : 1 / *baseline;
  return cost * std::min(1.0, std::exp(-confirmations_.gain()));
}

std::optional<ConfigurationIndex> StudyState::index_of(const ConfirmationSetup& setup,
                                                       Arm arm) const {
  if (arm == Arm::kIncumbent) return index_of(setup.opponent);
  if (arm != Arm::kCandidate) return std::nullopt;
  if (setup.purpose == Purpose::kCanary) return space_.index_of(problem_.acceptance.canary);
  return index_of(setup.candidate);
}

std::optional<search::Score> StudyState::score_of(TrialId trial) const {
  if (trial.value == 0 || trial.value > known_.size()) return std::nullopt;
  return known_[trial.value - 1].score;
}

std::optional<ConfigurationIndex> StudyState::index_of(TrialId trial) const {
  if (trial.value == 0 || trial.value > known_.size()) return std::nullopt;
  return known_[trial.value - 1].index;
}

std::optional<TrialId> StudyState::trial_of(ConfigurationIndex index) const {
  const auto found = asked_.find(index);
  return found == asked_.end() ? std::nullopt : std::optional(found->second);
}

bool StudyState::is_simplifying(TrialId trial) const {
  return trial.value > 0 && trial.value <= known_.size() && known_[trial.value - 1].is_simplifying;
}

std::optional<TrialId> StudyState::twin_of(TrialId trial) const {
  if (trial.value == 0 || trial.value > known_.size()) return std::nullopt;
  const TrialId twin = known_[trial.value - 1].twin;
  return twin.value == 0 ? std::nullopt : std::optional(twin);
}

std::optional<ConfigurationIndex> StudyState::incumbent() const {
  const auto trial = confirmations_.incumbent();
  return trial ? index_of(*trial) : std::nullopt;
}

Usage StudyState::usage(double seconds) const {
  return {seconds, simulated_, evaluations_ + outstanding_, stalled_};
}

}  // namespace nightshift::scheduler
