#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>

#include "base/overloaded.h"
#include "search/evaluation_figure.h"
#include "search/scoring.h"
#include "search/statistics/summary.h"
#include "search/time_unit.h"
#include "search/trial.h"
#include "tools/export/exported_trial.h"
#include "tools/export/exports.h"
#include "tools/summary/history_lookup.h"

namespace nightshift::tools {
namespace {

using nlohmann::ordered_json;
using scheduler::History;
using scheduler::TrialRecord;

// T4's words for how a trial ended.
const char* invalidity_of(const scheduler::FinishedTrial& trial) {
  if (!trial.beyond_limits.empty()) return "constraints";
  return std::visit(base::Overloaded{
                        [](const search::Measured&) { return "correct"; },
                        [](const search::BuildFailed&) { return "compile"; },
                        [](const search::LaunchFailed&) { return "runtime"; },
                        [](const search::WrongResult&) { return "correctness"; },
                        [](const search::TimedOut&) { return "timeout"; },
                        [](const search::Crashed&) { return "runtime"; },
                        [](const search::DeviceLost&) { return "runtime"; },
                        [](const search::Skipped&) { return "runtime"; },
                    },
                    trial.report.outcome);
}

// `runtimes` are the samples of the primary objective where that is a time; T4 has no other place
// for repetitions.
ordered_json times_json(const TrialRecord& trial, const search::Measurement* measurement,
                        const search::Objective& primary) {
  const ExportedTimes spent = exported_times(trial.finished->report.cost);
  ordered_json times = {{"compilation", spent.compile * 1e3},
                        {"framework", 0},
                        {"search_algorithm", 0},
                        {"validation", spent.check * 1e3},
                        {"benchmark", spent.measure * 1e3}};
  const std::optional<double> per_second = search::per_second(primary.unit);
  const search::Samples* samples =
      measurement == nullptr ? nullptr : measurement->find(primary.name);
  if (per_second && samples != nullptr) {
    ordered_json runtimes = ordered_json::array();
    for (const double v : samples->values) runtimes.push_back(v * 1e3 / *per_second);
    times["runtimes"] = std::move(runtimes);
  }
  return times;
}

// What the trial measured, as a point of the space; {} for a baseline that is another program.
ordered_json configuration_json(const search::Problem& problem, const TrialRecord& trial) {
  const search::Configuration& given = trial.proposed.configuration;
  if (given.is_baseline() && !search::baseline_configuration(problem)) {
    return ordered_json::object();
  }
  return ordered_json::parse(search::resolved(problem, given).to_json());
}

// `last_word`: see ExportedPoint.
ordered_json result_json(const search::Problem& problem, const TrialRecord& trial,
                         const TrialRecord& last_word) {
  const scheduler::FinishedTrial& speaker = *last_word.finished;
  const search::TrialOutcome& outcome = speaker.report.outcome;
  const search::Measurement* measurement = scheduler::measurement_of(last_word);
  ordered_json measurements = ordered_json::array();
  ordered_json objectives = ordered_json::array();
  for (const search::Objective& o : problem.objectives) {
    const search::Samples* samples = measurement == nullptr ? nullptr : measurement->find(o.name);
    const bool measured = samples != nullptr && !samples->values.empty();
    const ordered_json value =
        measured ? ordered_json(search::evaluation_figure(samples->values, o).value)
                 : ordered_json(failure_mark(outcome));
    measurements.push_back({{"name", o.name}, {"value", value}, {"unit", o.unit}});
    objectives.push_back(o.name);
  }
  return {{"timestamp", exported_timestamp(trial.finished->finished)},
          {"configuration", configuration_json(problem, trial)},
          {"times", times_json(trial, measurement, search::primary_objective(problem))},
          {"invalidity", invalidity_of(speaker)},
          {"correctness", std::holds_alternative<search::Measured>(outcome) ? 1 : 0},
          {"measurements", std::move(measurements)},
          {"objectives", std::move(objectives)},
          {"trial", trial.proposed.id.value},
          {"job", scheduler::job_word(trial.proposed)},
          {"device", trial.finished->device},
          {"artifact", trial.finished->artifact}};
}

// Of each objective that is no time to be minimised, which T4 takes an objective for.
ordered_json directions_json(const search::Problem& problem) {
  ordered_json directions = ordered_json::object();
  for (const search::Objective& o : problem.objectives) {
    const bool is_maximised = o.direction == search::Direction::kMaximise;
    if (o.name == "time" && !is_maximised) continue;
    directions[o.name] = is_maximised ? "maximise" : "minimise";
  }
  return directions;
}

}  // namespace

std::string to_t4(const History& history, const search::Problem& problem) {
  ordered_json results = ordered_json::array(), other_baselines = ordered_json::array();
  const auto failures = failures_when_confirmed(history);
  for (const scheduler::HistoryEvent& event : history.events) {
    const auto* finished = std::get_if<scheduler::FinishedEvent>(&event);
    if (finished == nullptr) continue;
    const TrialRecord& trial = history.trials[finished->trial];
    if (!trial.finished) continue;
    const TrialRecord& speaker = speaker_for(history, trial);
    const bool explored = trial.proposed.job == search::JobKind::kExplore;
    const auto failed = explored ? failures.find(speaker.proposed.id) : failures.end();
    ordered_json result =
        result_json(problem, trial, failed == failures.end() ? speaker : *failed->second);
    ordered_json& list = result.at("configuration").empty() ? other_baselines : results;
    list.push_back(std::move(result));
  }
  ordered_json metadata = {{"timeunit", "milliseconds"}};
  ordered_json directions = directions_json(problem);
  if (!directions.empty()) metadata["directions"] = std::move(directions);
  for (const auto& [name, value] : history.header.environment) {
    metadata["environment"][name] = value;
  }
  if (!other_baselines.empty()) metadata["baselines"] = std::move(other_baselines);
  const ordered_json file = {{"metadata", std::move(metadata)},
                             {"results", std::move(results)},
                             {"schema_version", "1.0.0"}};
  return file.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace nightshift::tools
