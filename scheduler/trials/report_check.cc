#include "scheduler/trials/report_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "search/evaluation_figure.h"
#include "search/figures/counted_word.h"
#include "search/figures/told_unit.h"

namespace nightshift::scheduler {
namespace {

std::string with_unit(const std::string& number, const search::Objective& objective) {
  return objective.unit.empty() ? number : number + " " + objective.unit;
}

// Of problems that ask for the worst case: what is scored has a figure for each, or, such as a
// size, for all of them together.
std::string without_cases(const search::Measurement& measurement, const search::Scoring& scoring) {
  const std::size_t cases = scoring.worst_of();
  bool any = cases == 0;
  for (std::size_t i = 0; i < scoring.all().size() && cases > 0; ++i) {
    const search::Samples& samples = *measurement.find(scoring.all()[i].name);
    if (scoring.exponent(i) == 0 || samples.cases.empty()) continue;
    any = true;
    if (samples.cases.size() == cases) continue;
    return fmt::format("the figure '{}' was reported of {} cases, not of the problem's {}",
                       samples.objective, samples.cases.size(), cases);
  }
  return any ? "" : fmt::format("no figure was reported of each of the {} cases", cases);
}

// Why a figure cannot be used; empty where all can.
std::string unusable(const search::Measurement& measurement, const search::Scoring& scoring) {
  for (const search::Objective& objective : scoring.all()) {
    const search::Samples* samples = measurement.find(objective.name);
    if (samples == nullptr || samples->values.empty()) {
      return fmt::format("no figure '{}' was reported", objective.name);
    }
    std::vector<double> values = samples->values;
    for (const auto& of_case : samples->cases)
      std::ranges::copy(of_case, std::back_inserter(values));
    for (const double value : values) {
      if (std::isfinite(value)) continue;
      return fmt::format("the figure '{}' is {}, which is no number", objective.name,
                         with_unit(fmt::format("{}", value), objective));
    }
  }
  return "";
}

// Why no ratio can be taken of figures; empty where it can.
std::string without_ratio(const std::vector<double>& samples, const search::Objective& o,
                          bool is_scored) {
  const double figure = search::evaluation_figure(samples, o).value;
  const std::string shown = with_unit(fmt::format("{:g}", figure), o);
  if (!(figure > 0)) {
    return fmt::format(
        "the figure '{}' is {}; it must be positive, as it is compared by its ratio to the "
        "baseline's{}",
        o.name, shown, is_scored ? "" : ", unless it has a limit instead");
  }
  if (figure < search::Scoring::kLeastFigure || figure > search::Scoring::kGreatestFigure) {
    return fmt::format(
        "the figure '{}' is {}, of which no ratio to the baseline's can be taken: figures are from "
        "{:g} to {:g}",
        o.name, shown, search::Scoring::kLeastFigure, search::Scoring::kGreatestFigure);
  }
  const double least = *std::ranges::min_element(samples);
  if (least >= 0) return "";
  return fmt::format("the figure '{}' has a sample of {}, and none of it can be below zero", o.name,
                     with_unit(fmt::format("{:g}", least), o));
}

std::string not_comparable(const search::Measurement& measurement, const search::Scoring& scoring) {
  for (std::size_t i = 0; i < scoring.all().size(); ++i) {
    if (!scoring.must_be_positive(i)) continue;
    const search::Objective& o = scoring.all()[i];
    const search::Samples& given = *measurement.find(o.name);
    const bool is_scored = scoring.exponent(i) > 0;
    for (const auto& of_case : given.cases) {
      std::string flaw = without_ratio(of_case, o, is_scored);
      if (!flaw.empty()) return "of a case " + flaw;
    }
    std::string flaw = without_ratio(given.values, o, is_scored);
    if (!flaw.empty()) return flaw;
  }
  return "";
}

std::string in_unit(const std::string& unit) {
  return unit.empty() ? "without a unit" : fmt::format("in '{}'", unit);
}

}  // namespace

search::TrialReport checked(search::TrialReport report, const search::Scoring& scoring) {
  if (std::holds_alternative<search::Skipped>(report.outcome)) {
    report.outcome = search::LaunchFailed{"the evaluator answered that it skipped the trial"};
  }
  const auto* measured = std::get_if<search::Measured>(&report.outcome);
  if (measured == nullptr) return report;
  std::string flaw = unusable(measured->measurement, scoring);
  if (flaw.empty()) flaw = not_comparable(measured->measurement, scoring);
  if (flaw.empty()) flaw = without_cases(measured->measurement, scoring);
  if (!flaw.empty()) report.outcome = search::LaunchFailed{std::move(flaw)};
  return report;
}

void ToldUnits::check(search::TrialOutcome& outcome,
                      const std::vector<search::Objective>& objectives) {
  const auto* measured = std::get_if<search::Measured>(&outcome);
  if (measured == nullptr) return;
  for (const search::Objective& objective : objectives) {
    const std::string key = search::counted_word_condition(objective.name);
    const std::string word = measured->measurement.condition(key);
    std::string& earlier = first_.emplace(key, word).first->second;
    if (search::differ_in_scale(word, earlier)) {
      outcome = search::LaunchFailed{
          fmt::format("the figure '{}' is {}, and {} from an earlier evaluation: print all of them "
                      "by one scale",
                      objective.name, search::in_words(word), search::in_words(earlier))};
      return;
    }
    if (earlier.empty()) earlier = word;
    const std::string unit =
        measured->measurement.condition(search::told_unit_condition(objective.name));
    const std::string& first = first_.emplace(objective.name, unit).first->second;
    if (unit == first) continue;
    outcome = search::LaunchFailed{fmt::format(
        "the figure '{}' came {}, and {} from an earlier evaluation: print its unit always, or "
        "give the objective its `unit`",
        objective.name, in_unit(unit), in_unit(first))};
    return;
  }
}

}  // namespace nightshift::scheduler
