#include "tools/compare/compared.h"

#include <algorithm>
#include <array>

#include "search/scoring.h"
#include "search/statistics/summary.h"
#include "tools/text/format.h"
#include "tools/text/short_names.h"

namespace nightshift::tools {
namespace {

constexpr std::array<const char*, 5> kColours = {kBlue, kOrange, kGreen, kRed, kGrey};
constexpr std::size_t kLabelWidth = 40;

std::string axis_of(const search::Objective& objective) {
  return objective.unit.empty() ? objective.name : objective.name + " in " + objective.unit;
}

struct Labelled {
  const Compared& compared;
  const std::vector<std::string> labels;
  std::size_t objective = 0;  // whose evaluations are shown
  const search::Objective& of() const { return compared.problem->objectives[objective]; }
};

ChartBox box_of(const Labelled& shown, std::size_t contender, std::vector<double> values) {
  ChartBox box;
  box.label = shown.labels[contender];
  box.note = format_count(values.size());
  box.low = search::quantile_of(values, 0.25);
  box.median = search::median_of(values);
  box.high = search::quantile_of(values, 0.75);
  const bool minimised = shown.of().direction == search::Direction::kMinimise;
  const auto [least, most] = std::ranges::minmax(values);
  box.best = minimised ? least : most;
  return box;
}

void add_boxes(const Labelled& shown, Charts& charts) {
  for (std::size_t d = 0; d < shown.compared.devices.size(); ++d) {
    BoxChart chart{
        {"Evaluations on " + one_line(shown.compared.devices[d].key()), axis_of(shown.of()), ""},
        {},
        {}};
    for (std::size_t c = 0; c < shown.labels.size(); ++c) {
      std::vector<double> values = evaluations_of(shown.compared.records, c, shown.objective,
                                                  static_cast<std::ptrdiff_t>(d));
      if (!values.empty()) chart.boxes.push_back(box_of(shown, c, std::move(values)));
    }
    if (chart.boxes.empty()) continue;
    chart.span = {chart.boxes.front().low, chart.boxes.front().high};
    for (const ChartBox& b : chart.boxes) {
      chart.span = {std::min({chart.span.low, b.low, b.best}),
                    std::max({chart.span.high, b.high, b.best})};
    }
    charts.charts.emplace_back(std::move(chart));
  }
}

void add_order(const Labelled& shown, Charts& charts) {
  if (shown.labels.size() > kColours.size()) return;
  for (std::size_t d = 0; d < shown.compared.devices.size(); ++d) {
    LineChart chart{{"In the order measured on " + one_line(shown.compared.devices[d].key()),
                     "evaluation", axis_of(shown.of())},
                    {}};
    for (std::size_t c = 0; c < shown.labels.size(); ++c) {
      chart.series.push_back({shown.labels[c], kColours[c], {}});
    }
    double place = 0;
    for (const scheduler::Ranking::Record& r : shown.compared.records) {
      if (r.device != d || r.contender >= chart.series.size()) continue;
      chart.series[r.contender].points.push_back({++place, r.figures[shown.objective].value});
    }
    if (place >= 1) charts.charts.emplace_back(std::move(chart));
  }
}

}  // namespace

Document answer_of(std::string title, std::string verdict, Mood mood) {
  Document document{std::move(title), "", std::move(verdict), mood};
  document.is_answer = true;
  return document;
}

std::vector<std::string> contender_heading(std::vector<std::string> before,
                                           const search::Problem& problem,
                                           const std::vector<std::string>& after) {
  for (const search::Objective& o : problem.objectives) before.push_back(o.name);
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

void add_measured(Document& document, const Compared& compared,
                  const std::vector<std::string>& remarks, Section differences,
                  const std::vector<std::string>& labels) {
  std::vector<Block>& blocks = document.blocks;
  for (const std::string& remark : remarks) blocks.push_back(Paragraph{remark});
  for (const std::string& notice : compared.notices) blocks.push_back(Paragraph{notice});
  blocks.push_back(Paragraph{
      measured_text(compared.records.size(), compared.devices, compared.seconds, compared.seed)});
  blocks.push_back(std::move(differences));
  Charts charts;
  const Labelled shown{compared, short_names(labels, kLabelWidth),
                       search::Scoring(*compared.problem).primary_position()};
  add_boxes(shown, charts);
  add_order(shown, charts);
  blocks.push_back(Section{"Evaluations", {std::move(charts)}});
}

}  // namespace nightshift::tools
