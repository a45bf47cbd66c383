#include "tools/summary/contender_figures_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "search/scoring.h"
#include "search/statistics/summary.h"
#include "tools/summary/json_number.h"
#include "tools/summary/spread.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using nlohmann::ordered_json;
using search::Objective;

constexpr std::size_t kMostCasesInCell = 4;  // JSON has all

// Of each case of the problem the median over evaluations; empty where figures are of no case.
std::vector<double> case_medians(const search::Problem& problem, const ContenderRecords& records,
                                 std::size_t contender, std::size_t objective) {
  std::vector<double> medians;
  for (std::size_t i = 0; search::has_cases(problem.cases) && i < problem.cases.names.size(); ++i) {
    std::vector<double> values;
    for (const scheduler::Ranking::Record& r : records) {
      const auto& cases = r.figures[objective].cases;
      if (r.contender == contender && i < cases.size()) values.push_back(cases[i].value);
    }
    if (values.empty()) return {};
    medians.push_back(search::median_of(values));
  }
  return medians;
}

// " (N=512: 1.2 ms; N=2048: 4.8 ms)"
std::string cases_text(const search::Problem& problem, const std::vector<double>& medians,
                       const std::string& unit) {
  if (medians.empty() || medians.size() > kMostCasesInCell) return "";
  std::string text;
  for (std::size_t i = 0; i < medians.size(); ++i) {
    text += (i == 0 ? " (" : "; ") + one_line(problem.cases.names[i]) + ": " +
            format_value(medians[i], unit);
  }
  return text + ")";
}

}  // namespace

std::vector<double> evaluations_of(const ContenderRecords& records, std::size_t contender,
                                   std::size_t objective, std::ptrdiff_t device) {
  std::vector<double> values;
  for (const scheduler::Ranking::Record& r : records) {
    const bool here = device < 0 || r.device == static_cast<std::size_t>(device);
    if (here && r.contender == contender) values.push_back(r.figures[objective].value);
  }
  return values;
}

std::string change_text(const Objective& objective, double ratio,
                        const search::Interval& interval) {
  return format_change(objective, ratio, interval, Times::kLeftOut);
}

std::string figure_text(const std::vector<double>& values, const Objective& objective) {
  if (values.empty()) return objective.name;
  const search::Interval interval = search::median_interval(values, 0.95);
  const std::string value =
      format_figure(objective.name, search::median_of(values), objective.unit);
  return is_bounded(interval) ? value + " " + format_interval(interval, objective.unit) : value;
}

std::vector<std::string> figure_cells(const search::Problem& problem,
                                      const ContenderRecords& records, std::size_t contender) {
  const search::Scoring scoring(problem);
  std::vector<std::string> cells;
  for (std::size_t o = 0; o < scoring.all().size(); ++o) {
    cells.push_back(
        figure_text(evaluations_of(records, contender, o), scoring.all()[o]) +
        cases_text(problem, case_medians(problem, records, contender, o), scoring.all()[o].unit));
  }
  return cells;
}

ordered_json contender_json(const search::Problem& problem, const std::string& name,
                            const search::Configuration& configuration, bool with_configuration,
                            const ContenderRecords& records, std::size_t contender) {
  const search::Scoring scoring(problem);
  ordered_json figures = ordered_json::object();
  for (std::size_t o = 0; o < scoring.all().size(); ++o) {
    const std::vector<double> values = evaluations_of(records, contender, o);
    const search::Interval interval = search::median_interval(values, 0.95);
    figures[scoring.all()[o].name] = {
        {"value", values.empty() ? ordered_json() : number_json(search::median_of(values))},
        {"unit", scoring.all()[o].unit},
        {"interval", is_bounded(interval) ? interval_json(interval) : ordered_json()}};
    const std::vector<double> medians = case_medians(problem, records, contender, o);
    for (std::size_t i = 0; i < medians.size(); ++i) {
      figures[scoring.all()[o].name]["cases"][problem.cases.names[i]] = number_json(medians[i]);
    }
  }
  const bool another_program =
      configuration.is_baseline() && !search::baseline_configuration(problem).has_value();
  ordered_json object = {{"name", name}};
  object["configuration"] =
      with_configuration && !another_program
          ? ordered_json::parse(search::resolved(problem, configuration).to_json())
          : ordered_json();
  object["objectives"] = std::move(figures);
  return object;
}

ordered_json objective_json(const Objective& objective) {
  const bool minimised = objective.direction == search::Direction::kMinimise;
  return {{"name", objective.name},
          {"unit", objective.unit},
          {"direction", minimised ? "minimise" : "maximise"}};
}

std::string measured_text(std::size_t evaluations, const std::vector<scheduler::Device>& devices,
                          double seconds, std::uint64_t seed) {
  const std::string where =
      devices.size() == 1 ? one_line(devices.front().key()) : count_of(devices.size(), "device");
  return fmt::format("{} evaluations on {} in {}; --seed {} repeats their order.", evaluations,
                     where, format_duration(seconds), seed);
}

}  // namespace nightshift::tools
