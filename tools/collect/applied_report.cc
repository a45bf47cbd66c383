#include "tools/collect/applied_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "search/scoring.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

std::string word_of(const AppliedStep& step) {
  if (!step.failure.empty()) return "fails";
  switch (step.outcome) {
    case ComparisonOutcome::kSecondBetter:
      return "helps";
    case ComparisonOutcome::kSecondWorse:
      return "loses";
    case ComparisonOutcome::kUndecided:
      return "undecided";
    case ComparisonOutcome::kNoDifference:
      break;
  }
  return "no difference";
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

std::string effect_of(const AppliedStep& step, const search::Objective& objective) {
  return step.failure.empty() ? change_text(objective, step.ratio, step.interval) : step.failure;
}

std::string kept_text(const AppliedReport& report) {
  if (report.kept.empty()) return "All is taken back: the program is not better with any of it.";
  const std::size_t all = report.kept.size() + report.taken_back.size();
  std::string text =
      fmt::format("{} of {} tuned launches are kept in {}", report.kept.size(), all, report.file);
  if (!report.taken_back.empty()) text += "; taken back: " + joined(report.taken_back);
  return text + ".";
}

}  // namespace

std::string line_of(const AppliedStep& step, const search::Problem& problem) {
  return fmt::format("{}: {} in the program: {}", joined(step.launches), word_of(step),
                     effect_of(step, search::judged_objective(problem)));
}

Document document_of(const AppliedReport& report) {
  Document made = document_of(report.whole);
  const search::Objective objective = search::judged_objective(*report.whole.problem);
  Rows rows = {{"launches", "in the program", "with them"}};
  for (const AppliedStep& step : report.steps) {
    rows.push_back({joined(step.launches), word_of(step), effect_of(step, objective)});
  }
  Section section{"What was applied", {}, Fold::kOpen};
  section.blocks.emplace_back(Paragraph{kept_text(report)});
  section.blocks.emplace_back(Table{std::move(rows)});
  made.blocks.emplace_back(std::move(section));
  return made;
}

nlohmann::ordered_json json_of(const AppliedReport& report) {
  nlohmann::ordered_json object = json_of(report.whole);
  object["applied"] = report.kept;
  object["taken_back"] = report.taken_back;
  object["steps"] = nlohmann::ordered_json::array();
  for (const AppliedStep& step : report.steps) {
    nlohmann::ordered_json one = {{"launches", step.launches},
                                  {"outcome", word_of(step)},
                                  {"ratio", step.ratio},
                                  {"interval", {step.interval.low, step.interval.high}},
                                  {"confidence", step.interval.confidence},
                                  {"failure", nullptr}};
    if (!step.failure.empty()) {
      one["ratio"] = one["interval"] = one["confidence"] = nullptr;
      one["failure"] = step.failure;
    }
    object["steps"].push_back(std::move(one));
  }
  return object;
}

}  // namespace nightshift::tools
