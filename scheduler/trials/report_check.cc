#include "scheduler/trials/report_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "search/evaluation_figure.h"

namespace nightshift::scheduler {
namespace {

std::string with_unit(std::string number, const search::Objective& objective) {
  return objective.unit.empty() ? number : number + " " + objective.unit;
}

// Why a figure cannot be used; empty where all can.
std::string unusable(const search::Measurement& measurement, const search::Scoring& scoring) {
  for (const search::Objective& objective : scoring.all()) {
    const search::Samples* samples = measurement.find(objective.name);
    if (samples == nullptr || samples->values.empty()) {
      return fmt::format("no figure '{}' was reported", objective.name);
    }
    for (const double value : samples->values) {
      if (std::isfinite(value)) continue;
      return fmt::format("the figure '{}' is {}, which is no number", objective.name,
                         with_unit(fmt::format("{}", value), objective));
    }
  }
  return "";
}

std::string not_positive(const search::Measurement& measurement, const search::Scoring& scoring) {
  for (std::size_t i = 0; i < scoring.all().size(); ++i) {
    if (!scoring.must_be_positive(i)) continue;
    const search::Objective& o = scoring.all()[i];
    const double median = search::evaluation_figure(measurement.find(o.name)->values, o).value;
    if (median > 0) {
      const auto& samples = measurement.find(o.name)->values;
      const double least = *std::ranges::min_element(samples);
      if (least >= 0) continue;
      return fmt::format("the figure '{}' has a sample of {}, and none of it can be below zero",
                         o.name, with_unit(fmt::format("{:g}", least), o));
    }
    return fmt::format(
        "the figure '{}' is {}; it must be positive, as it is compared by its ratio to the "
        "baseline's{}",
        o.name, with_unit(fmt::format("{:g}", median), o),
        scoring.exponent(i) > 0 ? "" : ", unless it has a limit instead");
  }
  return "";
}

}  // namespace

search::TrialReport checked(search::TrialReport report, const search::Scoring& scoring) {
  if (std::holds_alternative<search::Skipped>(report.outcome)) {
    report.outcome = search::LaunchFailed{"the evaluator answered that it skipped the trial"};
  }
  const auto* measured = std::get_if<search::Measured>(&report.outcome);
  if (measured == nullptr) return report;
  std::string flaw = unusable(measured->measurement, scoring);
  if (flaw.empty()) flaw = not_positive(measured->measurement, scoring);
  if (!flaw.empty()) report.outcome = search::LaunchFailed{std::move(flaw)};
  return report;
}

}  // namespace nightshift::scheduler
