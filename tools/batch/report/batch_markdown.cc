#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tools/batch/report/batch_report.h"
#include "tools/batch/report/batch_rows.h"
#include "tools/text/batch_lines.h"
#include "tools/text/markdown.h"

namespace nightshift::tools {
namespace {

Rows with_heading(std::vector<std::string> heading, Rows rows) {
  if (!rows.empty()) rows.insert(rows.begin(), std::move(heading));
  return rows;
}

std::string configurations(const BatchReport& report) {
  std::string text;
  for (std::size_t s = 0; s < report.facts.size(); ++s) {
    const BatchStudyFacts& facts = report.facts[s];
    if (!report.record.studies[s].claim || facts.configuration.empty()) continue;
    text += "- " + markdown_text(report.record.studies[s].terms.name) + ", trial " +
            std::to_string(facts.best_trial) + ": " + markdown_code(facts.configuration) + "\n";
  }
  return text;
}

}  // namespace

std::string batch_report_markdown(const BatchReport& report) {
  std::string text =
      "### " + markdown_text("Batch " + report.record.name + ": " + claims_text(report.summary)) +
      "\n\n";
  if (const Rows rows = improvement_rows(report); !rows.empty()) {
    text += markdown_table(rows) + "\n";
  }
  text += markdown_text(queue_text(report.summary)) + ".\n\n";
  const Rows notices = with_heading({"of", "notice"}, notice_rows(report));
  const Rows runs = with_heading({"when", "what"}, run_rows(report));
  text +=
      markdown_details("Winners", markdown_table(with_heading({"of", ""}, winner_rows(report))));
  text += markdown_details("Best configurations", configurations(report));
  for (const BatchFront& front : fronts(report)) {
    const std::string words = front.words.empty() ? "" : "\n" + markdown_text(front.words) + "\n";
    text += markdown_details(front.title, markdown_table(front.rows) + words);
  }
  text += markdown_details("What did not improve, and why", markdown_table(other_rows(report)));
  text += markdown_details("Failures", markdown_table(failure_rows(report)));
  std::string more;
  for (const std::string& sentence : head_sentences(report)) {
    more += markdown_text(sentence) + "\n\n";
  }
  more += markdown_table(device_rows(report));
  if (!notices.empty()) more += "\n" + markdown_table(notices);
  if (!runs.empty()) more += "\n" + markdown_table(runs);
  return text + markdown_details("Devices, time and notices", more);
}

}  // namespace nightshift::tools
