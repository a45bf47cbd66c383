#include "tools/serve/night_report.h"

#include <array>
#include <filesystem>
#include <vector>

#include "tools/document/document_writers.h"
#include "tools/serve/night_rows.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

Charts progress_chart(const ServiceLedger& ledger, const BatchReport& batch) {
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
  if (series.empty()) return {};
  ChartAxes axes;
  axes.title = "Time of the incumbent over that of the problem's own";
  axes.x = "minutes of the night";
  axes.y = "ratio";
  return {{LineChart{axes, series}}};
}

}  // namespace

bool holds_night(const std::string& folder) {
  std::error_code missing;
  return std::filesystem::is_directory(folder + "/candidates", missing);
}

Document document_of(const ServiceLedger& ledger, const BatchReport& batch) {
  Document document{"Report of the night " + batch.record.name, "Night " + batch.record.name,
                    night_headline(ledger)};
  for (const std::string& sentence : night_sentences(ledger, batch)) {
    document.blocks.push_back(Paragraph{sentence});
  }
  document.blocks.push_back(Section{"What the night came to", {progress_chart(ledger, batch)}});
  for (NightSection& section : night_sections(ledger, batch)) {
    const Fold fold = section.title == "Nights" ? Fold::kOpenUntitled : Fold::kFolded;
    document.blocks.push_back(Section{section.title, {Table{std::move(section.rows)}}, fold});
  }
  return document;
}

std::string night_status_text(const ServiceLedger& ledger, const BatchReport& batch) {
  Document document{"Night " + batch.record.name, "", night_headline(ledger)};
  for (const std::string& sentence : night_sentences(ledger, batch)) {
    document.blocks.push_back(Paragraph{sentence});
  }
  for (NightSection& section : night_sections(ledger, batch)) {
    if (section.title != "Nights" && section.title != "Devices") continue;
    document.blocks.push_back(Section{section.title, {Table{std::move(section.rows)}}});
  }
  document.blocks.push_back(
      Commands{{{"nightshift report " + shell_word(batch.folder), "what became of each"}}});
  return to_text(document);
}

}  // namespace nightshift::tools
