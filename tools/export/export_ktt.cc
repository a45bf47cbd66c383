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
#include "tools/text/markup.h"
#include "tools/version.h"

namespace nightshift::tools {
namespace {

using nlohmann::ordered_json;
using scheduler::History;
using scheduler::TrialRecord;

constexpr double kMicroseconds = 1e6;  // in a second

const char* status_of(const scheduler::FinishedTrial& trial) {
  return std::visit(base::Overloaded{
                        [](const search::Measured&) { return "Ok"; },
                        [](const search::BuildFailed&) { return "CompilationFailed"; },
                        [](const search::WrongResult&) { return "ValidationFailed"; },
                        [](const auto&) { return "ComputationFailed"; },
                    },
                    trial.report.outcome);
}

ordered_json pair_json(const std::string& name, const search::Value& value) {
  const char* type = std::visit(base::Overloaded{
                                    [](bool) { return "Bool"; },
                                    [](std::int64_t) { return "Int"; },
                                    [](double) { return "Double"; },
                                    [](const std::string&) { return "String"; },
                                },
                                value);
  return {
      {"Name", name}, {"Value", ordered_json::parse(search::to_json(value))}, {"ValueType", type}};
}

// KTT asks for the sizes of launches, which the journal has not got: 0 by 0 by 0.
ordered_json no_extent() { return {{"X", 0}, {"Y", 0}, {"Z", 0}}; }

ordered_json result_json(const search::Problem& problem, const std::string& kernel_name,
                         const ExportedPoint& point) {
  const TrialRecord& trial = *point.trial;
  const search::Objective primary = search::primary_objective(problem);
  const double per_second = search::per_second(primary.unit).value_or(1);
  const search::Measurement* measurement = scheduler::measurement_of(*point.last_word);
  const search::Samples* samples =
      measurement == nullptr ? nullptr : measurement->find(primary.name);
  const bool measured = samples != nullptr && !samples->values.empty();
  const double duration = measured ? search::evaluation_figure(samples->values, primary).value /
                                         per_second * kMicroseconds
                                   : 0;
  const ExportedTimes times = exported_times(trial.finished->report.cost);
  const double compile = times.compile * kMicroseconds, check = times.check * kMicroseconds;
  const double measure = std::max(0.0, times.measure * kMicroseconds - duration);
  ordered_json configuration = ordered_json::array(), computations = ordered_json::array();
  const search::Configuration complete = search::resolved(problem, trial.proposed.configuration);
  for (const auto& [name, value] : complete.entries()) {
    configuration.push_back(pair_json(name, value));
  }
  if (measured) {
    computations.push_back({{"KernelFunction", kernel_name},
                            {"Duration", duration},
                            {"Overhead", compile + measure},
                            {"CompilationOverhead", compile},
                            {"GlobalSize", no_extent()},
                            {"LocalSize", no_extent()}});
  }
  return {{"KernelName", kernel_name},
          {"Status", status_of(*point.last_word->finished)},
          {"TotalDuration", duration},
          {"TotalOverhead", compile + measure + check},
          {"ExtraDuration", 0.0},
          {"DataMovementOverhead", 0.0},
          {"ValidationOverhead", check},
          {"SearcherOverhead", 0.0},
          {"CompilationOverhead", measured ? 0.0 : compile},
          {"ProfilingOverhead", 0.0},
          {"Configuration", std::move(configuration)},
          {"ComputationResults", std::move(computations)}};
}

ordered_json document(const History& history, const search::Problem& problem,
                      const std::string& kernel_name) {
  ordered_json results = ordered_json::array();
  for (const ExportedPoint& point : exported_points(history, problem)) {
    results.push_back(result_json(problem, kernel_name, point));
  }
  return {{"Metadata",
           {{"ComputeApi", "CUDA"},
            {"GlobalSizeType", "CUDA"},
            {"Platform", "nightshift"},
            {"Device", exported_device(history, problem)},
            {"KttVersion", "nightshift " + std::string(version())},
            {"Timestamp", exported_timestamp(history.header.created)},
            {"TimeUnit", "Microseconds"}}},
          {"Results", std::move(results)}};
}

std::string xml_value(const ordered_json& value) {
  return '"' + escaped_text(value.is_string() ? value.get<std::string>() : value.dump()) + '"';
}

// Members that are lists or objects are elements inside, all others attributes.
std::string element(const std::string& name, const ordered_json& members, std::size_t depth) {
  const std::string indent(depth, '\t');
  std::string text = indent + "<" + name, inner;
  for (const auto& [key, value] : members.items()) {
    if (!value.is_structured()) {
      text += " " + key + "=" + xml_value(value);
      continue;
    }
    if (value.is_object()) {
      inner += element(key, value, depth + 1);
      continue;
    }
    const std::string item = key == "Configuration" ? "Pair" : "ComputationResult";
    inner += indent + "\t<" + key + ">\n";
    for (const ordered_json& each : value) inner += element(item, each, depth + 2);
    inner += indent + "\t</" + key + ">\n";
  }
  return inner.empty() ? text + " />\n" : text + ">\n" + inner + indent + "</" + name + ">\n";
}

}  // namespace

std::string to_ktt(const History& history, const search::Problem& problem,
                   const std::string& kernel_name) {
  return document(history, problem, kernel_name)
             .dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

std::string to_ktt_xml(const History& history, const search::Problem& problem,
                       const std::string& kernel_name) {
  const ordered_json whole = document(history, problem, kernel_name);
  std::string text = "<?xml version=\"1.0\"?>\n<TuningData>\n" +
                     element("Metadata", whole.at("Metadata"), 1) + "\t<Results>\n";
  for (const ordered_json& result : whole.at("Results")) text += element("KernelResult", result, 2);
  return text + "\t</Results>\n</TuningData>\n";
}

}  // namespace nightshift::tools
