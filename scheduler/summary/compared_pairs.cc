#include "scheduler/summary/compared_pairs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "scheduler/confirmation/confirmation.h"
#include "scheduler/confirmation/succession.h"
#include "scheduler/summary/summary_figures.h"
#include "search/evaluation_figure.h"
#include "search/scoring.h"
#include "search/statistics/sequential.h"
#include "search/statistics/summary.h"

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

bool never_varies(const std::vector<std::vector<double>>& devices) {
  std::set<double> values;
  for (const std::vector<double>& device : devices) values.insert(device.begin(), device.end());
  return values.size() == 1;
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
    if (never_varies(logs)) {  // as it was told, and not as a logarithm rounds it
      figure.interval = {figure.value, figure.value};
      continue;
    }
    const search::StratifiedT joined = search::stratified_t(search::strata_of(logs));
    const search::Interval interval = search::interval_of(joined, 0.95);
    figure.value = std::exp(joined.estimate);
    const bool known = std::isfinite(interval.low) && std::isfinite(interval.high);
    figure.interval = known ? search::Interval{std::exp(interval.low), std::exp(interval.high)}
                            : search::Interval{figure.value, figure.value};
  }
  return figures;
}

// The logarithms of what evaluations show in a case; empty where one has no positive figure of it.
std::vector<double> case_logarithms(const Evaluations& evaluations,
                                    const search::Objective& objective, std::size_t which) {
  std::vector<double> logs;
  for (const search::Measurement* evaluation : evaluations) {
    const search::Samples* samples = evaluation->find(objective.name);
    if (samples == nullptr || which >= samples->cases.size()) return {};
    const double value = search::evaluation_figure(samples->cases[which], objective).value;
    if (!(value > 0)) return {};
    logs.push_back(std::log(value));
  }
  return logs;
}

StudySummary::Case compared_case(const search::Problem& problem, std::size_t which,
                                 const std::vector<std::vector<double>>& candidates,
                                 const std::vector<std::vector<double>>& baselines) {
  const search::Objective objective = search::primary_objective(problem);
  std::vector<std::vector<double>> differences = candidates;
  double candidate = 0, baseline = 0;
  for (std::size_t d = 0; d < candidates.size(); ++d) {
    candidate += search::mean_of(candidates[d]) / static_cast<double>(candidates.size());
    baseline += search::mean_of(baselines[d]) / static_cast<double>(candidates.size());
    for (std::size_t i = 0; i < candidates[d].size(); ++i) {
      const double difference = candidates[d][i] - baselines[d][i];
      const bool minimised = objective.direction == search::Direction::kMinimise;
      differences[d][i] = minimised ? difference : -difference;
    }
  }
  const search::StratifiedT joined = search::stratified_t(search::strata_of(differences));
  const search::Interval interval = search::interval_of(joined, 0.95);
  const auto& weights = problem.cases.weights;
  return {problem.cases.names[which],
          objective.unit,
          which < weights.size() ? weights[which] : 1,
          std::exp(baseline),
          std::exp(candidate),
          std::exp(joined.estimate),
          {std::exp(interval.low), std::exp(interval.high)}};
}

std::vector<StudySummary::Case> compared_cases(const search::Problem& problem,
                                               const std::vector<Evaluations>& candidates,
                                               const std::vector<Evaluations>& baselines) {
  std::vector<StudySummary::Case> cases;
  if (!search::has_cases(problem.cases)) return cases;
  const search::Objective objective = search::primary_objective(problem);
  for (std::size_t i = 0; i < problem.cases.names.size(); ++i) {
    std::vector<std::vector<double>> own, others;
    for (std::size_t d = 0; d < candidates.size(); ++d) {
      own.push_back(case_logarithms(candidates[d], objective, i));
      others.push_back(case_logarithms(baselines[d], objective, i));
      if (own.back().empty() || others.back().empty()) return {};
    }
    cases.push_back(compared_case(problem, i, own, others));
  }
  return cases;
}

// The baseline of the device that was measured nearest in time; nullptr where none was.
const search::Measurement* nearest_baseline(const History& history, const FinishedTrial& trial) {
  const search::Measurement* nearest = nullptr;
  double least = 0;
  for (const TrialRecord& record : history.trials) {
    const search::Measurement* measured = measurement_of(record);
    const bool is_there = measured != nullptr && search::is_baseline(record.proposed.job) &&
                          record.finished->device == trial.device;
    if (!is_there) continue;
    const double away = std::abs(middle_of(*record.finished) - middle_of(trial));
    if (nearest != nullptr && away >= least) continue;
    nearest = measured;
    least = away;
  }
  return nearest;
}

}  // namespace

std::map<search::TrialId, const ConfirmationVerdict*> duels_with_baseline(const History& history) {
  std::map<search::TrialId, const ConfirmationVerdict*> duels;
  for (const ConfirmationVerdict& verdict : history.verdicts) {
    const ConfirmationSetup* setup = find_confirmation(history, verdict.id);
    const bool is_duel = setup != nullptr && setup->purpose == Purpose::kDuel;
    if (!is_duel || setup->opponent.value != 0 || verdict.verdict.devices.empty()) continue;
    if (!ended_at_failure(verdict.verdict)) duels[verdict.candidate] = &verdict;
  }
  return duels;
}

std::vector<StudySummary::Case> explored_cases(const History& history,
                                               const search::Problem& problem,
                                               const TrialRecord& exploration) {
  const search::Measurement* own = measurement_of(exploration);
  if (own == nullptr) return {};
  const search::Measurement* baseline = nearest_baseline(history, *exploration.finished);
  if (baseline == nullptr) return {};
  return compared_cases(problem, {{own}}, {{baseline}});
}

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
  compared.cases = compared_cases(problem, candidates, baselines);
  return compared;
}

}  // namespace nightshift::scheduler
