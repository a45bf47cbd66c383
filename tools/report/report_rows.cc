#include "tools/report/report_rows.h"

#include <cstdint>
#include <optional>

#include "search/scoring.h"
#include "tools/summary/front_text.h"
#include "tools/summary/summary_text.h"
#include "tools/text/format.h"
#include "tools/text/progress_lines.h"

namespace nightshift::tools {

using scheduler::History;
using scheduler::StudySummary;

Rows study_rows(const History& history, const search::Problem& problem, const StudyFolder& folder,
                const StudySummary& summary) {
  Rows rows = {{"problem", one_line(problem.name) + " (" + history.header.problem_file + ")"}};
  const bool is_outline = problem.scheduling.searcher.empty();  // then no more is known of it
  if (!is_outline) rows.push_back({"backend", std::string(search::name_of(problem.backend))});
  for (const search::Objective& o : problem.objectives) {
    rows.push_back({"objective", objective_text(o)});
  }
  const search::Objective judged = search::judged_objective(problem);
  if (problem.objectives.size() > 1) rows.push_back({"judged by", judged.name});
  Rows more = {
      {"study", folder.shown() + ", begun " + format_date(history.header.created)},
      {"status", summary.status +
                     (summary.status_reason.empty() ? "" : ": " + one_line(summary.status_reason))},
      {"searcher",
       problem.scheduling.searcher + ", seed " + std::to_string(problem.scheduling.seed)},
      {"budget", budget_text(problem.budget)},
      {"used",
       effort_text(summary) +
           (history.runs > 1 ? "; in " + count_of(static_cast<std::uint64_t>(history.runs), "run")
                             : "")}};
  if (is_outline) {
    std::erase_if(more, [](const auto& row) { return row[0] == "searcher" || row[0] == "budget"; });
  }
  rows.insert(rows.end(), more.begin(), more.end());
  if (!summary.baseline_artifact.empty()) {
    rows.push_back(
        {"machine code", (summary.best ? "best " + summary.best->artifact + ", " : std::string()) +
                             "baseline " + summary.baseline_artifact});
  }
  for (const std::string& notice : summary.notices) rows.push_back({"notice", one_line(notice)});
  return rows;
}

Rows machine_rows(const History& history) {
  Rows rows;
  for (const auto& [name, value] : history.header.environment) {
    rows.push_back({name, one_line(value)});
  }
  return rows;
}

Rows identity_rows(const StudySummary& summary) {
  Rows rows;
  for (const search::IdentityPart& part : summary.identity) {
    rows.push_back(
        {std::string(search::name_of(part.kind)), one_line(part.name), one_line(part.value)});
  }
  return rows;
}

Rows configuration_rows(const StudySummary& summary, const search::Problem& problem) {
  if (!summary.best) return {};
  const search::Configuration baseline = search::resolved(problem, {});
  Rows rows = {{"parameter", "baseline", summary.accepted ? "best" : "best seen", ""}};
  for (const auto& [name, value] : summary.best->configuration.entries()) {
    const search::Value* before = baseline.find(name);
    const bool same = before != nullptr && search::same_value(*before, value);
    rows.push_back({name, before == nullptr ? "-" : one_line(format_choice(*before)),
                    one_line(format_choice(value)), same ? "" : kChanged});
  }
  return rows;
}

Rows remark_rows(const History& history) {
  Rows rows;
  for (const scheduler::Remark& remark : history.remarks) {
    if (remark.what == scheduler::kIdentityRemark) continue;  // identity_rows() has them
    rows.push_back({format_date(remark.at), remark.what, one_line(remark.detail)});
  }
  return rows;
}

// After 1, 2, 5, 10, 20, 50, ... configurations and at the end.
Rows convergence_rows(const Convergence& told, const search::Problem& problem) {
  const search::Objective objective = search::judged_objective(problem);
  std::size_t due = 1;
  int step = 0;
  Rows rows;
  for (std::size_t count = 1; count <= told.ended.size(); ++count) {
    if (count != due && count != told.ended.size()) continue;
    const std::optional<double>& best = told.ended[count - 1].best;
    rows.push_back({"after " + count_of(count, "configuration"),
                    best ? format_change(objective, *best) : "nothing works yet"});
    if (count == due) due = step++ % 3 == 1 ? due * 5 / 2 : due * 2;
  }
  return rows;
}

}  // namespace nightshift::tools
