#include "scheduler/summary/compared_pairs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "scheduler/confirmation/confirmation.h"
#include "scheduler/summary/summary_figures.h"
#include "search/statistics/sequential.h"

namespace nightshift::scheduler {

namespace {

using Figure = StudySummary::Figure;
using Evaluations = std::vector<const search::Measurement*>;

struct Sides {
  Evaluations candidate, baseline;
};
using ByDevice = std::map<std::string, Sides>;

// As far as it decides whether a pair counts.
EvaluationResult result_of(const TrialRecord& trial) {
  EvaluationResult result;
  const search::Measurement* measurement = measurement_of(trial);
  if (measurement == nullptr) return result;
  result.cost = 1;
  result.disturbance = measurement->disturbance;
  result.started = trial.finished->started;
  result.finished = trial.finished->finished;
  return result;
}

ByDevice valid_pairs(const History& history, const ConfirmationSetup& setup) {
  struct Pair {
    const TrialRecord *candidate = nullptr, *baseline = nullptr;
  };
  std::map<std::pair<std::string, int>, Pair> rounds;
  for (const TrialRecord& trial : history.trials) {
    const ProposedTrial& proposed = trial.proposed;
    if (proposed.confirmation != setup.id || measurement_of(trial) == nullptr) continue;
    Pair& pair = rounds[{trial.finished->device, proposed.round}];
    if (proposed.arm == Arm::kCandidate) pair.candidate = &trial;
    if (proposed.arm == Arm::kBaseline) pair.baseline = &trial;
  }
  ByDevice devices;
  for (const auto& [place, pair] : rounds) {
    if (pair.candidate == nullptr || pair.baseline == nullptr) continue;
    if (!flaw_of_pair(result_of(*pair.candidate), result_of(*pair.baseline)).empty()) continue;
    devices[place.first].candidate.push_back(measurement_of(*pair.candidate));
    devices[place.first].baseline.push_back(measurement_of(*pair.baseline));
  }
  return devices;
}

// Of each device the logarithms of what its evaluations show; empty where one of them has none.
std::vector<std::vector<double>> logarithms(const std::vector<Evaluations>& devices,
                                            const search::Objective& objective) {
  std::vector<std::vector<double>> all;
  for (const Evaluations& evaluations : devices) {
    std::vector<double>& logs = all.emplace_back();
    for (const search::Measurement* evaluation : evaluations) {
      const auto value = evaluation_value(*evaluation, objective);
      if (!value || !(*value > 0)) return {};
      logs.push_back(std::log(*value));
    }
  }
  return all;
}

std::vector<Figure> figures_of(const search::Problem& problem,
                               const std::vector<Evaluations>& devices) {
  Evaluations all;
  for (const Evaluations& device : devices) all.insert(all.end(), device.begin(), device.end());
  std::vector<Figure> figures = figures_over(problem, all);
  for (Figure& figure : figures) {
    const auto objective = std::ranges::find(problem.objectives, figure.name,
                                             [](const search::Objective& o) { return o.name; });
    const auto logs = logarithms(devices, *objective);
    if (logs.empty()) continue;
    const search::StratifiedT joined = search::stratified_t(search::strata_of(logs));
    const search::Interval interval = search::interval_of(joined, 0.95);
    figure.value = std::exp(joined.estimate);
    const bool known = std::isfinite(interval.low) && std::isfinite(interval.high);
    figure.interval = known ? search::Interval{std::exp(interval.low), std::exp(interval.high)}
                            : search::Interval{figure.value, figure.value};
  }
  return figures;
}

}  // namespace

std::optional<ComparedPairs> compared_pairs(const History& history, const search::Problem& problem,
                                            const ConfirmationSetup& setup) {
  if (setup.opponent.value != 0) return std::nullopt;
  std::vector<Evaluations> candidates, baselines;
  ComparedPairs compared;
  for (auto& [device, sides] : valid_pairs(history, setup)) {
    compared.devices.push_back(
        {device, figures_of(problem, {sides.baseline}), static_cast<int>(sides.baseline.size())});
    candidates.push_back(std::move(sides.candidate));
    baselines.push_back(std::move(sides.baseline));
  }
  if (candidates.empty()) return std::nullopt;
  compared.candidate = figures_of(problem, candidates);
  compared.baseline = figures_of(problem, baselines);
  return compared;
}

}  // namespace nightshift::scheduler
