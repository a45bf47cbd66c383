#include "scheduler/study/status_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "scheduler/confirmation/succession.h"
#include "scheduler/study/unmoved_trials.h"
#include "search/figures/told_unit.h"

namespace nightshift::scheduler {

StatusBoard::StatusBoard(const search::Problem& problem, const search::ParameterSpace& space,
                         const StudyState& state)
    : problem_(problem), space_(space), state_(state), unmoved_(problem) {
  status_.problem = &problem;
  status_.space_size = space.size();
  status_.space_counted = space.counted();
}

void StatusBoard::add_device(const Device& device) {
  DeviceStatus& shown = status_.devices.emplace_back();
  shown.device = device;
  shown.baseline = state_.baselines().value(device.key());
}

DeviceStatus* StatusBoard::device_of(const std::string& key) {
  const auto found = std::ranges::find_if(
      status_.devices, [&](const DeviceStatus& d) { return d.device.key() == key; });
  return found == status_.devices.end() ? nullptr : &*found;
}

void StatusBoard::started(const ProposedTrial& trial, DeviceIndex device) {
  DeviceStatus& shown = status_.devices[device];
  shown.state = DeviceStatus::State::kMeasuring;
  shown.trial = trial.id;
  shown.job = trial.job;
}

void StatusBoard::ended(DeviceIndex device) {
  DeviceStatus& shown = status_.devices[device];
  if (shown.state == DeviceStatus::State::kMeasuring) shown.state = DeviceStatus::State::kIdle;
}

void StatusBoard::quarantined(DeviceIndex device) {
  status_.devices[device].state = DeviceStatus::State::kQuarantined;
}

void StatusBoard::apply(const StudyEvent& event) {
  std::visit([this](const auto& e) { on(e); }, event);
}

void StatusBoard::on(const TrialProposed& proposed) {
  if (proposed.trial.job == search::JobKind::kExplore) status_.outstanding = state_.outstanding();
}

void StatusBoard::on(const TrialFinished& finished) {
  const auto& [trial, result] = finished;
  const search::TrialOutcome& outcome = result.report.outcome;
  const auto* measured = std::get_if<search::Measured>(&outcome);
  status_.simulated += result.report.cost.simulated;
  if (DeviceStatus* shown = device_of(result.device)) {
    ++shown->trials;
    shown->baseline = state_.baselines().value(result.device);
  }
  if (measured != nullptr) take_units(measured->measurement);
  if (unmoved_.configurations() < kLookedAt) observe(unmoved_, trial, result);
  if (trial.job != search::JobKind::kExplore || is_of_finishing(trial)) return;
  status_.outstanding = state_.outstanding();
  status_.evaluations = state_.evaluations();
  ++status_.by_status[outcome.index()];
  common_failure_.ended(outcome);
  if (measured != nullptr) ++status_.measured;
  if (!result.beyond_limits.empty()) ++status_.beyond_limits;
  if (std::holds_alternative<search::Skipped>(outcome)) ++status_.skipped;
  if (measured == nullptr || !result.normalised || measured->measurement.censored) return;
  const double score = result.normalised->value;
  if (status_.best_ratio && score >= *status_.best_ratio) return;
  status_.best_ratio = score;
  status_.best_configuration = trial.configuration;
}

void StatusBoard::take_units(const search::Measurement& measurement) {
  std::vector<search::Objective> objectives = status_.problem->objectives;
  search::take_told_units(objectives, measurement);
  if (objectives == status_.problem->objectives) return;
  auto told = std::make_shared<search::Problem>(*status_.problem);
  told->objectives = std::move(objectives);
  told_ = std::move(told);
  status_.problem = told_.get();
}

std::vector<std::string> StatusBoard::take_observations() {
  std::vector<std::string> news;
  if (unmoved_.configurations() < look_at_) return news;
  while (look_at_ <= unmoved_.configurations()) look_at_ *= 2;
  for (search::Unmoved::Observation& one : unmoved_.observations()) {
    if (observed_.insert(one.about).second) news.push_back(std::move(one.words));
  }
  return news;
}

void StatusBoard::on(const ConfirmationConcluded& concluded) {
  const auto& [setup, verdict] = concluded;
  ++status_.confirmations;
  const bool won = search::is_accepted(verdict.verdict);
  const bool is_duel = setup.purpose == Purpose::kDuel;
  if (is_duel && was_handed_over(verdict.verdict)) handed_over_.insert(setup.candidate);
  const std::optional<search::TrialId> incumbent = state_.confirmations().incumbent();
  if (incumbent != incumbent_) take_incumbent(incumbent);
  if (won && is_duel && !handed_over_.contains(setup.candidate)) ++status_.accepted;
  if (setup.purpose == Purpose::kHoldOut) claims_[setup.candidate] = verdict.verdict;
  const auto claim = incumbent ? claims_.find(*incumbent) : claims_.end();
  if (claim == claims_.end()) return;
  if (search::is_accepted(claim->second) && handed_over_.erase(*incumbent) > 0) {
    ++status_.accepted;
    take_incumbent(incumbent);
  }
  status_.claim = claim->second;
}

void StatusBoard::take_incumbent(std::optional<search::TrialId> incumbent) {
  incumbent_ = incumbent;
  status_.claim.reset();
  status_.incumbent_ratio.reset();
  status_.incumbent_configuration = {};
  if (!incumbent || handed_over_.contains(*incumbent)) return;
  status_.incumbent_ratio = std::exp(-state_.confirmations().gain());
  if (const auto index = state_.index_of(*incumbent)) {
    status_.incumbent_configuration = space_.configuration(*index);
  }
}

void StatusBoard::refresh(const TrialRunner& runner, const Now& now) {
  status_.elapsed = now.elapsed;
  status_.seconds_limit = now.seconds_limit;
  status_.budget_used = now.budget_used;
  status_.building = runner.building();
  status_.measuring = runner.evaluating();
  status_.ready = runner.ready();
  status_.explores = now.explores;
  status_.activity = activity(now);
}

std::string StatusBoard::activity(const Now& now) const {
  if (now.stopping) return "stopping";
  const Confirmation* open = state_.confirmations().open().current();
  if (open == nullptr) return now.any_ready ? "exploring" : "measuring the baseline";
  const ConfirmationSetup& setup = open->setup();
  const std::string of =
      setup.candidate.value == 0 ? "" : fmt::format(" of trial {}", setup.candidate.value);
  return fmt::format("{}{}: {} of {} pairs", name_of(setup.purpose), of, open->measured(),
                     open->planned());
}

}  // namespace nightshift::scheduler
