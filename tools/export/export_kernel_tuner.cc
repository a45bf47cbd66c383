#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "base/overloaded.h"
#include "search/evaluation_figure.h"
#include "search/scoring.h"
#include "search/time_unit.h"
#include "tools/export/exported_trial.h"
#include "tools/export/exports.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using nlohmann::ordered_json;
using scheduler::History;
using scheduler::TrialRecord;

// As Python's str() has it, of which Kernel Tuner makes an entry's key.
std::string python_text(const search::Value& value) {
  return std::visit(base::Overloaded{
                        [](bool truth) { return std::string(truth ? "True" : "False"); },
                        [](std::int64_t whole) { return std::to_string(whole); },
                        [&](double) { return search::to_text(value); },
                        [](const std::string& text) { return text; },
                    },
                    value);
}

// Kernel Tuner's times are milliseconds.
double in_its_unit(double value, const search::Objective& objective) {
  const std::optional<double> per_second = search::per_second(objective.unit);
  return per_second ? value * 1e3 / *per_second : value;
}

// An entry has its figures beside its parameters: one of the same name would be gone.
void expect_names_apart(const search::Problem& problem) {
  const std::string primary = search::primary_objective(problem).name;
  std::vector<std::string> names = {primary + "s",    "compile_time",  "verification_time",
                                    "benchmark_time", "strategy_time", "framework_time",
                                    "timestamp",      "__error__"};
  const auto refuse = [](const char* kind, const std::string& name) {
    throw UsageError("Kernel Tuner's cache has figures beside the parameters, and the " +
                     std::string(kind) + " '" + name +
                     "' is called as another of its members; csv, t4 and ktt have it, or call it "
                     "otherwise in the problem file");
  };
  for (const search::Objective& o : problem.objectives) {
    if (std::ranges::find(names, o.name) != names.end()) refuse("objective", o.name);
  }
  for (const search::Objective& o : problem.objectives) names.push_back(o.name);
  names.push_back(primary);
  for (const search::Parameter& p : problem.parameters) {
    if (std::ranges::find(names, p.name) != names.end()) refuse("parameter", p.name);
  }
}

void add_figures(ordered_json& entry, const search::Problem& problem,
                 const search::Measurement& measurement) {
  const search::Objective primary = search::primary_objective(problem);
  for (const search::Objective& o : problem.objectives) {
    const search::Samples* samples = measurement.find(o.name);
    if (samples == nullptr || samples->values.empty()) continue;
    entry[o.name] = in_its_unit(search::evaluation_figure(samples->values, o).value, o);
    if (o.name != primary.name) continue;
    ordered_json repetitions = ordered_json::array();
    for (const double value : samples->values) repetitions.push_back(in_its_unit(value, o));
    entry[o.name + "s"] = std::move(repetitions);
  }
}

ordered_json entry_of(const search::Problem& problem, const ExportedPoint& point) {
  const TrialRecord& trial = *point.trial;
  ordered_json entry =
      ordered_json::parse(search::resolved(problem, trial.proposed.configuration).to_json());
  const scheduler::FinishedTrial& speaker = *point.last_word->finished;
  const search::Measurement* measurement = scheduler::measurement_of(*point.last_word);
  if (measurement != nullptr && speaker.beyond_limits.empty()) {
    add_figures(entry, problem, *measurement);
  } else {
    const char* error =
        measurement != nullptr ? "InvalidConfig" : failure_mark(speaker.report.outcome);
    entry[search::primary_objective(problem).name] = error;
    entry["__error__"] = error;
  }
  const ExportedTimes times = exported_times(trial.finished->report.cost);
  entry["compile_time"] = times.compile * 1e3;
  entry["verification_time"] = times.check * 1e3;
  entry["benchmark_time"] = times.measure * 1e3;
  entry["strategy_time"] = 0;
  entry["framework_time"] = 0;
  entry["timestamp"] = exported_timestamp(trial.finished->finished);
  return entry;
}

std::string key_of(const search::Problem& problem, const TrialRecord& trial) {
  const search::Configuration c = search::resolved(problem, trial.proposed.configuration);
  std::string key;
  for (const search::Parameter& parameter : problem.parameters) {
    const search::Value* value = c.find(parameter.name);
    key += (key.empty() ? "" : ",") + (value == nullptr ? std::string() : python_text(*value));
  }
  return key;
}

std::string dumped(const ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

// Kernel Tuner opens a cache for appending by cutting off its last three characters, "}\n}", and
// appends entries of a line each.
std::string to_kernel_tuner(const History& history, const search::Problem& problem,
                            const std::string& kernel_name) {
  expect_names_apart(problem);
  ordered_json keys = ordered_json::array(), parameters = ordered_json::object();
  for (const search::Parameter& parameter : problem.parameters) {
    ordered_json values = ordered_json::array();
    for (const search::Value& value : parameter.values) {
      values.push_back(ordered_json::parse(search::to_json(value)));
    }
    keys.push_back(parameter.name);
    parameters[parameter.name] = std::move(values);
  }
  const ordered_json head = {{"device_name", exported_device(history, problem)},
                             {"kernel_name", kernel_name},
                             {"tune_params_keys", std::move(keys)},
                             {"tune_params", std::move(parameters)},
                             {"objective", search::primary_objective(problem).name}};
  std::string text = dumped(head, 1);
  text.resize(text.rfind('}') - 1);  // with the line end before it
  text += ",\n \"cache\": {";
  bool first = true;
  for (const ExportedPoint& point : exported_points(history, problem)) {
    text += std::string(first ? "\n" : ",\n") + dumped(key_of(problem, *point.trial), -1) + ": " +
            dumped(entry_of(problem, point), -1);
    first = false;
  }
  return text + "}\n}\n";
}

}  // namespace nightshift::tools
