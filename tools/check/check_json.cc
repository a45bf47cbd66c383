#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/wide.h"
#include "search/problem.h"
#include "tools/check/check_report.h"

namespace nightshift::tools {
namespace {

using evaluator::DryRun;
using nlohmann::ordered_json;

ordered_json configuration_json(const search::Configuration& c) {
  return ordered_json::parse(c.to_json());
}

// A number where JSON readers keep every digit of it, else a text.
ordered_json count_json(base::Wide count) {
  if (count < (base::Wide{1} << 53)) return static_cast<std::uint64_t>(count);
  return base::to_string(count);
}

ordered_json argument_json(const DryRun::Argument& argument) {
  ordered_json object = {{"name", argument.name}, {"type", argument.type}};
  if (argument.scalar) {
    object["value"] = argument.value;
    return object;
  }
  object["access"] = argument.access;
  object["elements"] = argument.elements;
  object["bytes"] = argument.bytes;
  if (!argument.constant_array.empty()) object["constant_array"] = argument.constant_array;
  return object;
}

ordered_json launch_json(const DryRun::Launch& launch) {
  return {{"kernel", launch.kernel},
          {"grid", launch.grid},
          {"block", launch.block},
          {"cluster", launch.cluster},
          {"shared_bytes", launch.shared_bytes},
          {"programmatic", launch.programmatic},
          {"arguments", launch.arguments}};
}

ordered_json case_json(const DryRun::Case& one) {
  ordered_json sizes = ordered_json::object(), arguments = ordered_json::array(),
               launches = ordered_json::array();
  for (const auto& [name, size] : one.sizes) sizes[name] = size;
  for (const DryRun::Argument& a : one.arguments) arguments.push_back(argument_json(a));
  for (const DryRun::Launch& l : one.launches) launches.push_back(launch_json(l));
  return {{"sizes", std::move(sizes)},
          {"compiler", one.compiler},
          {"arguments", std::move(arguments)},
          {"launches", std::move(launches)}};
}

ordered_json configured_json(const CheckedConfiguration& checked) {
  return {{"configuration", configuration_json(checked.configuration)},
          {"wrong", checked.wrong.empty() ? ordered_json() : ordered_json(checked.wrong)}};
}

ordered_json baseline_json(const CheckedConfiguration& baseline) {
  ordered_json object = configured_json(baseline);
  if (!baseline.run) return object;
  const DryRun& run = *baseline.run;
  for (const DryRun::Case& one : run.cases) object["cases"].push_back(case_json(one));
  if (run.command.empty()) return object;
  if (!run.build.empty()) object["build"] = run.build;
  object["command"] = run.command;
  object["directory"] = run.directory;
  object["environment"] = ordered_json::object();
  for (const auto& [name, value] : run.environment) object["environment"][name] = value;
  if (!run.request.empty()) object["request"] = run.request;
  return object;
}

ordered_json build_json(const CheckReport::Build& build) {
  const bool failed = !build.result.failed.empty();
  return {{"failed", failed ? ordered_json(build.result.failed) : ordered_json()},
          {"words", failed ? ordered_json(build.result.words) : ordered_json()},
          {"seconds", build.seconds}};
}

// null where there is one case.
ordered_json cases_json(const search::CaseTerms& terms) {
  if (!search::has_cases(terms)) return nullptr;
  constexpr std::array<std::string_view, 3> kAggregates = {"geometric_mean", "sum", "worst"};
  ordered_json weights = ordered_json::array();
  for (std::size_t i = 0; i < terms.names.size(); ++i) {
    weights.push_back(terms.weights.empty() ? 1.0 : terms.weights[i]);
  }
  return {{"aggregate", kAggregates.at(static_cast<std::size_t>(terms.aggregate))},
          {"names", terms.names},
          {"weights", std::move(weights)}};
}

ordered_json space_json(const CheckReport& report) {
  if (!report.space) return nullptr;
  const search::Problem& problem = report.reading.problem;
  return {{"configurations", count_json(report.space->size)},
          {"counted", report.space->counted},
          {"combinations", report.space->combinations},
          {"parameters", problem.parameters.size()},
          {"constraints", problem.constraints.size()}};
}

}  // namespace

void append_told(const std::vector<problems::Diagnostic>& told, const std::string& file,
                 ordered_json& list) {
  for (const problems::Diagnostic& m : told) {
    list.push_back({{"file", m.file.empty() ? file : m.file},
                    {"line", m.line},
                    {"column", m.column},
                    {"message", m.message}});
  }
}

ordered_json check_json(const CheckReport& report) {
  const search::Problem& problem = report.reading.problem;
  const bool whole = report.reading.mistakes.empty();
  const bool is_ours = whole && !report.is_elsewhere;
  ordered_json drawn = ordered_json::array(), mistakes = ordered_json::array();
  for (const CheckedConfiguration& c : report.drawn) {
    const auto expected = expected_ratio(problem, c.configuration);
    drawn.push_back(configured_json(c));
    drawn.back()["expected"] = expected ? ordered_json(*expected) : ordered_json();
  }
  ordered_json starts = ordered_json::array();
  for (const search::Configuration& start : problem.scheduling.starts) {
    starts.push_back(configuration_json(start));
  }
  append_told(report.reading.mistakes, "", mistakes);
  return {{"file", report.file},
          {"name", problem.name},
          {"backend", is_ours ? ordered_json(search::name_of(problem.backend)) : ordered_json()},
          {"runs_on", is_ours ? ordered_json(search::name_of(problem.target)) : ordered_json()},
          {"space", space_json(report)},
          {"cases", whole ? cases_json(problem.cases) : ordered_json()},
          {"baseline", report.baseline ? baseline_json(*report.baseline) : ordered_json()},
          {"configurations", std::move(drawn)},
          {"build", report.build ? build_json(*report.build) : ordered_json()},
          {"starts", std::move(starts)},
          {"notes", problem.notes},
          {"mistakes", std::move(mistakes)}};
}

}  // namespace nightshift::tools
