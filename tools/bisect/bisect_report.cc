#include "tools/bisect/bisect_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "search/importance/one_code.h"
#include "search/scoring.h"
#include "tools/summary/contender_figures_text.h"
#include "tools/summary/json_number.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using nlohmann::ordered_json;
using Finding = search::Bisection::Finding;

std::string_view name_of(Finding finding) {
  switch (finding) {
    case Finding::kGood:
      return "good";
    case Finding::kBad:
      return "bad";
    case Finding::kSkipped:
      return "skipped";
    case Finding::kUnknown:
      break;
  }
  return "unknown";
}

const BisectedPoint* point_at(const BisectReport& report, std::size_t place) {
  const auto found = std::ranges::find(report.looked_at, place, &BisectedPoint::place);
  return found == report.looked_at.end() ? nullptr : &*found;
}

std::string label_of(const BisectReport& report, std::size_t place) {
  const BisectedPoint* point = point_at(report, place);
  if (point == nullptr) return "";
  const std::string title = one_line(point->title);
  return one_line(point->name) + (title.empty() ? "" : " (" + title + ")");
}

std::string worsening(const BisectReport& report, const search::Verdict& verdict) {
  return change_text(search::judged_objective(report.problem), verdict.ratio, verdict.interval);
}

std::string headline(const BisectReport& report) {
  if (!report.broken.empty()) return "Nothing can be found: " + one_line(report.broken) + ".";
  if (report.equal_ends) return search::one_code_words("Both ends") + ".";
  if (report.stopped || !report.device_error.empty()) return "It ended before anything was found.";
  switch (report.ends) {
    case ComparisonOutcome::kNoDifference:
      return "The ends do not differ: there is nothing to find.";
    case ComparisonOutcome::kSecondBetter:
      return "The last is better than the first: there is nothing to find.";
    case ComparisonOutcome::kUndecided:
      return "The ends cannot be told apart: what was measured cannot be judged.";
    case ComparisonOutcome::kSecondWorse:
      break;
  }
  if (!report.first_bad) return "The last is worse than the first.";
  if (report.suspects.empty()) {
    return fmt::format("The first {} that is worse: {}", report.kind,
                       label_of(report, *report.first_bad));
  }
  std::string text = fmt::format("Worse from one of these {}s on: ", report.kind);
  for (const std::size_t place : report.suspects) text += label_of(report, place) + ", ";
  return text + label_of(report, *report.first_bad);
}

Rows rows_of(const BisectReport& report) {
  Rows rows = {{"", report.kind, "against the first", "", ""}};
  std::vector<BisectedPoint> sorted = report.looked_at;
  std::ranges::sort(sorted, {}, &BisectedPoint::place);
  for (const BisectedPoint& point : sorted) {
    const bool is_end = point.place == 0;
    rows.push_back({std::string(name_of(point.finding)), one_line(point.name),
                    is_end          ? "the first"
                    : point.verdict ? worsening(report, *point.verdict)
                                    : "-",
                    one_line(point.title), one_line(point.reason)});
  }
  return rows;
}

ordered_json verdict_json(const std::optional<search::Verdict>& verdict) {
  if (!verdict) return nullptr;
  return {{"ratio", number_json(verdict->ratio)},
          {"interval", interval_json(verdict->interval)},
          {"confidence", verdict->interval.confidence},
          {"p_value", number_json(verdict->p_value)}};
}

ordered_json name_json(const BisectReport& report, std::size_t place) {
  const BisectedPoint* point = point_at(report, place);
  return point == nullptr ? ordered_json() : ordered_json(point->name);
}

}  // namespace

ExitCode exit_code_of(const BisectReport& report) {
  if (const auto code = exit_code_of(static_cast<const Rechecking&>(report))) return *code;
  if (!report.broken.empty()) return ExitCode::kStudyFailed;
  return exit_code_of(report.ends);
}

std::string bisect_text(const BisectReport& report) {
  std::string text = paragraph(headline(report), 0);
  if (report.step) {
    text +=
        paragraph(fmt::format("Against {}, the last that is not: {}.",
                              label_of(report, report.last_good), worsening(report, *report.step)),
                  2);
  }
  text += table(rows_of(report), 2);
  text += paragraph(fmt::format("{} of {} {}s were looked at. {}", report.looked_at.size(),
                                report.points, report.kind, rechecking_text(report)),
                    2);
  for (const std::string& notice : report.notices) text += paragraph(one_line(notice), 2);
  return text;
}

ordered_json bisect_json(const BisectReport& report) {
  ordered_json points = ordered_json::array(), suspects = ordered_json::array();
  for (const BisectedPoint& point : report.looked_at) {
    ordered_json object = {{"place", point.place},
                           {"name", point.name},
                           {"title", point.title},
                           {"finding", name_of(point.finding)},
                           {"reason", point.reason}};
    object["against_first"] = verdict_json(point.verdict);
    points.push_back(std::move(object));
  }
  for (const std::size_t place : report.suspects) suspects.push_back(name_json(report, place));
  const bool is_found = report.first_bad.has_value();
  ordered_json object = {
      {"outcome", report.broken.empty() ? ordered_json(name_of(report.ends)) : ordered_json()},
      {"kind", report.kind},
      {"points", report.points},
      {"first_bad", is_found ? name_json(report, *report.first_bad) : ordered_json()},
      {"last_good", is_found ? name_json(report, report.last_good) : ordered_json()},
      {"suspects", std::move(suspects)},
      {"step", verdict_json(report.step)},
      {"looked_at", std::move(points)},
      {"problem", report.problem.name},
      {"configuration", ordered_json::parse(report.configuration.to_json())},
      {"same_machine_code", report.equal_ends},
      {"broken", report.broken.empty() ? ordered_json() : ordered_json(report.broken)}};
  add_rechecking(object, report);
  return object;
}

}  // namespace nightshift::tools
