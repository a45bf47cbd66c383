#include "tools/batch/report/batch_report.h"
#include "tools/batch/report/batch_rows.h"
#include "tools/text/batch_lines.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

std::string section(const std::string& name, const std::string& text) {
  return text.empty() ? "" : "\n" + name + "\n" + text;
}

}  // namespace

std::string batch_report_text(const BatchReport& report) {
  std::string text = "Report of the batch " + one_line(report.record.name) + ": " +
                     claims_text(report.summary) + "\n";
  for (const std::string& sentence : head_sentences(report)) text += paragraph(sentence, 2);
  Rows steps;
  for (const auto& [command, what] : batch_next_steps(report)) steps.push_back({command, what});
  std::string all_fronts;
  for (const BatchFront& front : fronts(report)) {
    all_fronts += section(front.title, table(front.rows, 2) + paragraph(front.words, 2));
  }
  return text + section("What improved", table(improvement_rows(report), 2)) +
         section("Winners", table(winner_rows(report), 2)) + all_fronts +
         section("What did not, and why", table(other_rows(report), 2)) +
         section("What failed, and how", table(failure_rows(report), 2)) +
         section("Devices", table(device_rows(report), 2)) +
         section("To be known", table(notice_rows(report), 2)) +
         section("Runs", table(run_rows(report), 2)) +
         section("Where the time went", table(time_rows(report), 2)) +
         section("How to go on", table(steps, 2));
}

}  // namespace nightshift::tools
