#include "tools/report/report_markdown.h"

#include "scheduler/summary/summary.h"
#include "tools/report/report_rows.h"
#include "tools/summary/device_rows.h"
#include "tools/summary/summary_text.h"
#include "tools/text/format.h"
#include "tools/text/markdown.h"

namespace nightshift::tools {
namespace {

Rows with_heading(std::vector<std::string> heading, Rows rows) {
  if (!rows.empty()) rows.insert(rows.begin(), std::move(heading));
  return rows;
}

}  // namespace

std::string report_markdown(const scheduler::History& history, const search::Problem& problem,
                            const StudyFolder& folder) {
  const scheduler::StudySummary summary = scheduler::summarise(history, problem);
  const PageWidth unbroken{std::string::npos, std::string::npos};
  std::string text =
      "### " + markdown_text(problem.name + ": " + headline_text(summary, problem)) + "\n\n";
  if (!summary.reason.empty()) text += markdown_text("Why: " + one_line(summary.reason)) + "\n\n";
  text += markdown_block(folded(figures_text(summary, problem), unbroken)) + "\n";
  std::string where = markdown_table(device_rows(summary, problem));
  if (const Rows kinds = kind_rows(summary, problem); !kinds.empty()) {
    where += "\n" + markdown_table(kinds) + "\n" + markdown_text(kinds_answer(summary)) + "\n";
  }
  text += markdown_details("Where the gain holds", where);
  text += markdown_details("Configurations", markdown_table(configuration_rows(summary, problem)));
  return text +
         markdown_details("Study", markdown_table(with_heading(
                                       {"", ""}, study_rows(history, problem, folder, summary))));
}

}  // namespace nightshift::tools
