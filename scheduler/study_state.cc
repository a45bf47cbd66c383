#include "scheduler/study_state.h"

#include <algorithm>
#include <variant>

namespace nightshift::scheduler {

using search::ConfigurationIndex;
using search::JobKind;
using search::TrialId;

StudyState::StudyState(const search::Problem& problem, const search::ParameterSpace& space,
                       search::Searcher& searcher)
    : problem_(problem), space_(space), searcher_(searcher), baselines_(problem) {
  status_.problem = &problem;
  status_.space_size = space.size();
  status_.space_counted = space.counted();
}

void StudyState::proposed(const ProposedTrial& trial) {
  last_trial_ = std::max(last_trial_, trial.id.value);
  if (known_.size() < trial.id.value) known_.resize(trial.id.value);
  known_[trial.id.value - 1] = {trial.job, trial.index, std::nullopt, {}};
  if (trial.job == JobKind::kExplore && trial.index) {
    asked_.insert(*trial.index);
    ++status_.outstanding;
  }
  if (trial.job == JobKind::kConfirm) {
    if (trial.confirmation.value > last_confirmation_) open(trial.candidate, trial.confirmation);
    if (confirmation_ && confirmation_->id() == trial.confirmation) {
      confirmation_->started({trial.device, trial.round, trial.arm});
    }
  }
}

void StudyState::finished(const ProposedTrial& trial, const FinishedTrial& result) {
  Known& known = known_[trial.id.value - 1];
  known.score = result.normalised;
  if (baselines_.scoring().has_front()) known.objectives = objectives_of(trial, result);
  status_.simulated += result.report.cost.simulated;
  switch (trial.job) {
    case JobKind::kExplore:
      explored(trial, result);
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
  if (!is_baseline) return;
  if (auto figures = figures_of(result)) {
    baselines_.record(result.device, std::move(*figures));
    if (!result.artifact.empty()) owners_.emplace(result.artifact, trial.id);
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
  return baselines_.objectives(result.device, *figures);
}

void StudyState::explored(const ProposedTrial& trial, const FinishedTrial& result) {
  const search::TrialOutcome& outcome = result.report.outcome;
  if (status_.outstanding > 0) --status_.outstanding;
  ++status_.evaluations;
  ++status_.by_status[outcome.index()];
  if (std::holds_alternative<search::Measured>(outcome)) ++status_.measured;
  if (!result.beyond_limits.empty()) ++status_.beyond_limits;
  if (std::holds_alternative<search::Skipped>(outcome)) ++status_.skipped;
  if (!result.artifact.empty() && !std::holds_alternative<search::Skipped>(outcome) &&
      !std::holds_alternative<search::DeviceLost>(outcome)) {
    owners_.emplace(result.artifact, trial.id);
  }
  ++stalled_;
  if (trial.index) {
    search::Observation told{.score = result.normalised, .censored = false, .objectives = {}};
    if (told.score) told.objectives = known_[trial.id.value - 1].objectives;
    searcher_.tell(*trial.index, told);
  }
  if (!result.normalised || !std::holds_alternative<search::Measured>(outcome)) return;
  const double score = result.normalised->value;
  if (!status_.best_ratio || score < *status_.best_ratio) {
    status_.best_ratio = score;
    status_.best_configuration = trial.configuration;
    stalled_ = 0;
  }
  if (score < worth_confirming()) waiting_.emplace(score, trial.id);
}

void StudyState::confirmed(const ProposedTrial& trial, const FinishedTrial& result) {
  if (!confirmation_ || confirmation_->id() != trial.confirmation) return;
  const Visit visit{trial.device, trial.round, trial.arm};
  // Incumbent and baseline are what they are; only a candidate has to keep within the limits.
  if (trial.arm == Arm::kCandidate && !result.beyond_limits.empty()) {
    confirmation_->refused(visit, result.beyond_limits);
    return;
  }
  std::optional<double> cost;
  if (const auto figures = figures_of(result)) cost = baselines_.cost(result.device, *figures);
  confirmation_->finished(visit, cost, search::describe(result.report.outcome));
}

void StudyState::concluded(const ConfirmationVerdict& verdict) {
  ++status_.confirmations;
  if (std::holds_alternative<search::Accept>(verdict.verdict.acceptance)) {
    ++status_.accepted;
    incumbent_ = verdict.candidate;
    incumbent_ratio_ = verdict.verdict.ratio;
    status_.incumbent = verdict.verdict;
    if (const auto index = index_of(verdict.candidate)) {
      status_.incumbent_configuration = space_.configuration(*index);
    }
  }
  if (confirmation_ && confirmation_->id() == verdict.id) confirmation_.reset();
}

double StudyState::worth_confirming() const {
  return incumbent_ratio_ * (1 - problem_.acceptance.min_improvement);
}

bool StudyState::confirmation_due() {
  waiting_.erase(waiting_.lower_bound({worth_confirming(), TrialId{}}), waiting_.end());
  return !confirmation_ && !waiting_.empty();
}

void StudyState::open_confirmation() { open(waiting_.begin()->second, {last_confirmation_ + 1}); }

void StudyState::open(TrialId candidate, search::ConfirmationId id) {
  std::vector<std::string> devices;
  const auto limit = problem_.acceptance.devices > 0
                         ? static_cast<std::size_t>(problem_.acceptance.devices)
                         : devices_.size();
  for (const std::string& key : devices_) {
    if (devices.size() < limit && baselines_.has(key)) devices.push_back(key);
  }
  std::erase_if(waiting_, [&](const auto& entry) { return entry.second == candidate; });
  last_confirmation_ = id.value;
  confirmation_ =
      std::make_unique<Confirmation>(id, candidate, incumbent_.has_value(), std::move(devices),
                                     problem_.acceptance, problem_.scheduling.seed);
}

bool StudyState::awaits_confirmation(TrialId candidate) const {
  if (confirmation_ && confirmation_->candidate() == candidate) return true;
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [&](const auto& entry) { return entry.second == candidate; });
}

std::optional<TrialId> StudyState::owner_of(const std::string& artifact) const {
  const auto it = owners_.find(artifact);
  if (it == owners_.end()) return std::nullopt;
  return it->second;
}

std::optional<search::Score> StudyState::score_of(TrialId trial) const {
  if (trial.value == 0 || trial.value > known_.size()) return std::nullopt;
  return known_[trial.value - 1].score;
}

std::optional<ConfigurationIndex> StudyState::index_of(TrialId trial) const {
  if (trial.value == 0 || trial.value > known_.size()) return std::nullopt;
  return known_[trial.value - 1].index;
}

std::optional<ConfigurationIndex> StudyState::incumbent() const {
  if (!incumbent_) return std::nullopt;
  return index_of(*incumbent_);
}

Usage StudyState::usage(double seconds) const {
  return {seconds, status_.simulated, status_.evaluations + status_.outstanding, stalled_};
}

}  // namespace nightshift::scheduler
