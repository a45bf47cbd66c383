#include "tools/compare/comparison_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <variant>

#include "search/importance/one_code.h"
#include "search/scoring.h"
#include "search/statistics/power.h"
#include "search/statistics/shape.h"
#include "search/statistics/summary.h"
#include "tools/summary/contender_figures_text.h"
#include "tools/summary/gain_json.h"
#include "tools/summary/json_number.h"
#include "tools/text/format.h"
#include "tools/text/short_names.h"

namespace nightshift::tools {
namespace {

using nlohmann::ordered_json;
using search::Objective;

constexpr std::array<const char*, 2> kSides = {"first", "second"};
constexpr double kScatterLevel = 0.01;  // of the test that one side scatters more

// Logarithms without the device's own level.
std::vector<double> centred(const ComparisonReport& report, std::size_t side,
                            std::size_t objective) {
  std::vector<double> all;
  for (std::size_t d = 0; d < report.devices.size(); ++d) {
    std::vector<double> logs;
    for (const double v :
         evaluations_of(report.records, side, objective, static_cast<std::ptrdiff_t>(d))) {
      if (v > 0) logs.push_back(std::log(v));
    }
    const double middle = search::median_of(logs);
    for (const double log : logs) all.push_back(log - middle);
  }
  return all;
}

int pairs_of(const search::Verdict& verdict) {
  int pairs = 0;
  for (const search::DeviceEffect& d : verdict.devices) pairs += d.pairs;
  return pairs;
}

std::string headline(const ComparisonReport& report, ComparisonOutcome outcome) {
  if (report.same_code && outcome == ComparisonOutcome::kNoDifference) {
    return "No difference: " + search::one_code_words("both");
  }
  const search::Objective objective = search::judged_objective(*report.problem);
  const search::Verdict& v = report.verdict;
  const std::string change = change_text(objective, v.ratio, v.interval);
  const double smallest = report.problem->acceptance.min_improvement;
  switch (outcome) {
    case ComparisonOutcome::kSecondBetter:
      return "The second is better: " + change;
    case ComparisonOutcome::kSecondWorse:
      return "The second is worse: " + change;
    case ComparisonOutcome::kUndecided:
      return "Undecided: " + one_line(search::reason_of(v.acceptance));
    case ComparisonOutcome::kNoDifference:
      break;
  }
  if (search::is_accepted(v)) {
    return "A difference, but less than the " + format_percent(smallest) +
           " worth mentioning: second's " + change;
  }
  const bool within = v.interval.low > 1 - smallest && v.interval.high < 1 / (1 - smallest);
  return (within ? "No difference of " + format_percent(smallest) + " or more: second's "
                 : "No difference shown: second's ") +
         change;
}

std::string p_text(const ComparisonReport& report) {
  const search::Verdict& v = report.verdict;
  if (v.looks.empty()) return "";
  const search::Look& look = v.looks.back();
  std::string text = fmt::format("p = {}, where at most {} is enough after {} in random order.",
                                 format_number(look.p_value), format_number(look.level),
                                 count_of(static_cast<std::uint64_t>(pairs_of(v)), "pair"));
  if (v.interval.high < std::numeric_limits<double>::infinity()) {
    text += " The brackets hold the true difference with " +
            format_confidence(v.interval.confidence) + " confidence.";
  }
  return text;
}

Rows side_rows(const ComparisonReport& report) {
  Rows rows;
  if (report.same_code) return rows;  // nothing was measured
  const std::vector<std::string> names = short_names({report.names[0], report.names[1]}, 60);
  for (std::size_t side = 0; side < 2; ++side) {
    rows.push_back({kSides[side]});
    for (std::string& cell : figure_cells(*report.problem, report.records, side)) {
      rows.back().push_back(std::move(cell));
    }
    rows.back().push_back(names[side]);
  }
  return rows;
}

// Where it says more than the verdict.
Rows device_rows_of(const ComparisonReport& report) {
  const search::Objective objective = search::judged_objective(*report.problem);
  Rows rows;
  bool worth_it = report.verdict.devices.size() > 1;
  for (const search::DeviceEffect& d : report.verdict.devices) {
    worth_it = worth_it || d.voided > 0;
    const double e = 1.96 * d.standard_error;
    rows.push_back(
        {"on " + d.device, count_of(static_cast<std::uint64_t>(d.pairs), "pair"),
         change_text(objective, std::exp(-d.effect),
                     {std::exp(-d.effect - e), std::exp(-d.effect + e)}),
         d.voided > 0 ? count_of(static_cast<std::uint64_t>(d.voided), "void pair") : ""});
  }
  return worth_it ? rows : Rows{};
}

std::string agreement_text(const ComparisonReport& report) {
  const search::Heterogeneity& h = report.verdict.heterogeneity;
  if (report.verdict.devices.size() < 2) return "";
  return fmt::format("{} (Cochran's Q: p = {}, between devices {}).",
                     h.depends ? "How much depends on the device" : "The devices agree",
                     format_number(h.p_value), format_percent(h.tau));
}

// What the typical figure does not tell: scatter, modes, drift, tails.
std::string shape_text(const ComparisonReport& report) {
  const std::size_t objective = search::Scoring(*report.problem).primary_position();
  std::array<std::vector<double>, 2> logs;
  std::array<double, 2> scatter{};
  std::string text;
  for (std::size_t side = 0; side < 2; ++side) {
    logs[side] = centred(report, side, objective);
    scatter[side] = search::sd_of(logs[side]);
    const search::ShapeLabel label = search::classify(logs[side]);
    text +=
        fmt::format("{}{} scatters by {}", side > 0 ? ", " : "From evaluation to evaluation the ",
                    side > 0 ? "the second" : "first", format_percent(scatter[side]));
    if (label != search::ShapeLabel::kUnknown) text += fmt::format(" ({})", search::name_of(label));
  }
  constexpr std::size_t kFewest = 5;  // evaluations of which a scatter can be told
  if (logs[0].size() < kFewest || logs[1].size() < kFewest) return "";
  const double p = search::brown_forsythe(logs[0], logs[1]).p;
  if (p < kScatterLevel) {
    text += fmt::format("; the {} scatters more (p = {})",
                        scatter[0] > scatter[1] ? "first" : "second", format_number(p));
  }
  text += ".";
  if (!report.verdict.shape.empty()) {
    text += std::string(" The ") + kSides[report.verdict.ratio <= 1 ? 1 : 0] + " is " +
            one_line(report.verdict.shape) + ".";
  }
  return text;
}

// What a comparison that shows nothing would have shown.
std::string power_text(const ComparisonReport& report, ComparisonOutcome outcome) {
  if (outcome != ComparisonOutcome::kNoDifference || search::is_accepted(report.verdict)) return "";
  const int pairs = pairs_of(report.verdict);
  if (pairs < 2 || report.pair_sd <= 0) return "";
  const double effect = search::detectable_effect(report.problem->acceptance.level / 2, 0.9,
                                                  static_cast<std::size_t>(pairs), report.pair_sd);
  return "With so many pairs and this noise, a difference of about " +
         format_percent(1 - std::exp(-effect)) +
         " would be found nine times out of ten; --pairs and --confidence change that.";
}

ordered_json side_json(const ComparisonReport& report, std::size_t side) {
  return contender_json(*report.problem, report.names[side], report.configurations[side],
                        report.with_configurations, report.records, side);
}

// Below the headline, a paragraph each; empty ones are no paragraph.
std::vector<std::string> remarks_of(const ComparisonReport& report, ComparisonOutcome outcome) {
  std::vector<std::string> remarks;
  if (!report.same_code) {
    remarks = {agreement_text(report), shape_text(report), power_text(report, outcome)};
  }
  if (!report.check.empty()) {
    remarks.push_back("Before the first pair their outputs agreed, by " + one_line(report.check) +
                      ".");
  }
  if (report.same_code) {
    remarks.push_back("No pair was measured.");
  }
  return remarks;
}

ordered_json devices_json(const ComparisonReport& report) {
  const std::size_t objective = search::Scoring(*report.problem).primary_position();
  ordered_json list = ordered_json::array();
  for (std::size_t i = 0; i < report.devices.size(); ++i) {
    const auto d = static_cast<std::ptrdiff_t>(i);
    ordered_json device = {{"device", report.devices[i].key()}};
    for (const search::DeviceEffect& e : report.verdict.devices) {
      if (e.device != report.devices[i].key()) continue;
      device["pairs"] = e.pairs;
      device["voided"] = e.voided;
      device["ratio"] = number_json(std::exp(-e.effect));
      device["standard_error"] = number_json(e.standard_error);
    }
    device["visits"] = {{"first", evaluations_of(report.records, 0, objective, d)},
                        {"second", evaluations_of(report.records, 1, objective, d)}};
    list.push_back(std::move(device));
  }
  return list;
}

}  // namespace

std::string_view name_of(ComparisonOutcome outcome) {
  constexpr std::array<std::string_view, 4> kNames = {"no_difference", "second_better",
                                                      "second_worse", "undecided"};
  return kNames[static_cast<std::size_t>(outcome)];
}

ComparisonOutcome outcome_of(const search::Verdict& verdict, double min_difference) {
  if (std::holds_alternative<search::Undecided>(verdict.acceptance)) {
    return ComparisonOutcome::kUndecided;
  }
  const double share = 1 - std::min(verdict.ratio, 1 / verdict.ratio);
  if (!search::is_accepted(verdict) || share < min_difference) {
    return ComparisonOutcome::kNoDifference;
  }
  return verdict.ratio < 1 ? ComparisonOutcome::kSecondBetter : ComparisonOutcome::kSecondWorse;
}

ComparisonOutcome outcome_of(const ComparisonReport& report) {
  return outcome_of(report.verdict, report.problem->acceptance.min_improvement);
}

ExitCode exit_code_of(ComparisonOutcome outcome) {
  switch (outcome) {
    case ComparisonOutcome::kSecondBetter:
      return ExitCode::kSecondBetter;
    case ComparisonOutcome::kSecondWorse:
      return ExitCode::kSecondWorse;
    case ComparisonOutcome::kUndecided:
      return ExitCode::kStudyFailed;
    case ComparisonOutcome::kNoDifference:
      break;
  }
  return ExitCode::kSuccess;
}

ExitCode exit_code_of(const ComparisonReport& report) { return exit_code_of(outcome_of(report)); }

Document document_of(const ComparisonReport& report) {
  const ComparisonOutcome outcome = outcome_of(report);
  const bool is_bad =
      outcome == ComparisonOutcome::kSecondWorse || outcome == ComparisonOutcome::kUndecided;
  Document document = answer_of(
      report.with_configurations ? "Which of two: " + report.problem->name : "Which of two",
      headline(report, outcome),
      outcome == ComparisonOutcome::kSecondBetter ? Mood::kGood
      : is_bad                                    ? Mood::kBad
                                                  : Mood::kPlain);
  document.blocks = {
      Paragraph{p_text(report)},
      Table{with_heading(contender_heading({""}, *report.problem, {"what"}), side_rows(report))}};
  Table differences{
      with_heading({"device", "pairs", "second against first", "void"}, device_rows_of(report))};
  add_measured(document, report, remarks_of(report, outcome),
               {"Differences", {std::move(differences)}}, {kSides[0], kSides[1]});
  return document;
}

ordered_json json_of(const ComparisonReport& report) {
  const search::Verdict& v = report.verdict;
  const double smallest = report.problem->acceptance.min_improvement;
  const Objective objective = search::judged_objective(*report.problem);
  ordered_json object = {{"outcome", name_of(outcome_of(report))},
                         {"reason", search::reason_of(v.acceptance)}};
  object.update(gain_json(objective, v.ratio, v.interval));
  object["confidence"] = v.interval.confidence;
  object["p_value"] = number_json(v.p_value);
  object["level"] = v.looks.empty() ? ordered_json() : number_json(v.looks.back().level);
  object["pairs"] = pairs_of(v);
  object["min_difference"] = smallest;
  object["objective"] = objective_json(objective);
  object["first"] = side_json(report, 0);
  object["second"] = side_json(report, 1);
  object["devices"] = devices_json(report);
  object["heterogeneity"] = {{"p_value", v.heterogeneity.p_value},
                             {"tau", v.heterogeneity.tau},
                             {"depends", v.heterogeneity.depends}};
  object["shape"] = v.shape;
  object["same_machine_code"] = report.same_code;
  object["check"] = report.check.empty() ? ordered_json() : ordered_json(report.check);
  object["seconds"] = report.seconds;
  object["seed"] = report.seed;
  object["notices"] = report.notices;
  return object;
}

}  // namespace nightshift::tools
