#include "tools/serve/night_report.h"

#include <array>
#include <filesystem>
#include <vector>

#include "tools/serve/night_rows.h"
#include "tools/text/format.h"
#include "tools/text/html_page.h"
#include "tools/text/svg_chart.h"

namespace nightshift::tools {
namespace {

std::string sections_text(const ServiceLedger& ledger, const BatchReport& batch, bool whole) {
  std::string text;
  for (const std::string& sentence : night_sentences(ledger, batch)) text += paragraph(sentence, 2);
  for (const NightSection& section : night_sections(ledger, batch)) {
    const bool is_shown = whole || section.title == "Nights" || section.title == "Devices";
    if (is_shown && !section.rows.empty()) {
      text += "\n" + section.title + "\n" + table(section.rows, 2);
    }
  }
  return text;
}

std::string progress_chart(const ServiceLedger& ledger, const BatchReport& batch) {
  constexpr std::array kColours{"var(--blue)", "var(--green)", "var(--red)", "var(--soft)"};
  std::vector<ChartSeries> series;
  for (const NightProgress& progress : night_progress(ledger, batch)) {
    ChartSeries one{progress.name, kColours[series.size() % kColours.size()], {}, {}};
    one.mark = ChartMark::kSteps;
    for (const NightProgress::Step& step : progress.steps) {
      one.points.push_back({step.seconds / 60, step.ratio});
    }
    series.push_back(std::move(one));
  }
  if (series.empty()) return "";
  ChartAxes axes;
  axes.title = "Time of the incumbent over that of the problem's own";
  axes.x = "minutes of the night";
  axes.y = "ratio";
  return svg_chart(axes, series);
}

}  // namespace

bool holds_night(const std::string& folder) {
  std::error_code missing;
  return std::filesystem::is_directory(folder + "/candidates", missing);
}

std::string night_report_text(const ServiceLedger& ledger, const BatchReport& batch) {
  return "Report of the night " + night_headline(ledger, batch) + "\n" +
         sections_text(ledger, batch, true);
}

std::string night_status_text(const ServiceLedger& ledger, const BatchReport& batch) {
  return "Night " + night_headline(ledger, batch) + "\n" + sections_text(ledger, batch, false) +
         "\n  nightshift report " + shell_word(batch.folder) + "  what became of each\n";
}

std::string night_report_page(const ServiceLedger& ledger, const BatchReport& batch) {
  std::string body =
      "<p class=\"verdict plain\">" + html_text(night_headline(ledger, batch)) + "</p>\n";
  for (const std::string& sentence : night_sentences(ledger, batch)) {
    body += html_paragraph(sentence);
  }
  body += html_section("What the night came to", progress_chart(ledger, batch));
  for (const NightSection& section : night_sections(ledger, batch)) {
    if (!section.rows.empty()) body += html_section(section.title, html_table(section.rows));
  }
  return html_page("Report of the night " + batch.record.name, body);
}

}  // namespace nightshift::tools
