#include "tools/compare/compared_page.h"

#include <algorithm>
#include <array>

#include "search/scoring.h"
#include "search/statistics/summary.h"
#include "tools/text/format.h"
#include "tools/text/html_page.h"
#include "tools/text/markdown.h"
#include "tools/text/svg_chart.h"

namespace nightshift::tools {
namespace {

constexpr std::array<const char*, 5> kColours = {kBlue, kOrange, kGreen, kRed, kGrey};
constexpr std::size_t kLabelWidth = 40;

std::string axis_of(const search::Objective& objective) {
  return objective.unit.empty() ? objective.name : objective.name + " in " + objective.unit;
}

ChartBox box_of(const ComparedPage& page, std::size_t contender, std::size_t objective,
                std::ptrdiff_t device) {
  std::vector<double> values = evaluations_of(page.records, contender, objective, device);
  ChartBox box;
  box.label = fit(one_line(page.labels[contender]), kLabelWidth);
  box.note = format_count(values.size());
  if (values.empty()) return box;
  box.low = search::quantile_of(values, 0.25);
  box.median = search::median_of(values);
  box.high = search::quantile_of(values, 0.75);
  const bool minimised =
      page.problem->objectives[objective].direction == search::Direction::kMinimise;
  const auto [least, most] = std::ranges::minmax(values);
  box.best = minimised ? least : most;
  return box;
}

std::string boxes_html(const ComparedPage& page, std::size_t objective) {
  const search::Objective& o = page.problem->objectives[objective];
  std::string html;
  for (std::size_t d = 0; d < page.devices.size(); ++d) {
    std::vector<ChartBox> boxes;
    for (std::size_t c = 0; c < page.labels.size(); ++c) {
      const auto device = static_cast<std::ptrdiff_t>(d);
      if (evaluations_of(page.records, c, objective, device).empty()) continue;
      boxes.push_back(box_of(page, c, objective, device));
    }
    if (boxes.empty()) continue;
    ChartSpan span{boxes.front().low, boxes.front().high};
    for (const ChartBox& b : boxes) {
      span = {std::min({span.low, b.low, b.best}), std::max({span.high, b.high, b.best})};
    }
    html += svg_boxes({"Evaluations on " + one_line(page.devices[d].key()), axis_of(o), ""}, boxes,
                      span);
  }
  return html;
}

std::string order_html(const ComparedPage& page, std::size_t objective) {
  if (page.labels.size() > kColours.size()) return "";
  const search::Objective& o = page.problem->objectives[objective];
  std::string html;
  for (std::size_t d = 0; d < page.devices.size(); ++d) {
    std::vector<ChartSeries> series;
    for (std::size_t c = 0; c < page.labels.size(); ++c) {
      series.push_back({fit(one_line(page.labels[c]), kLabelWidth), kColours[c], {}});
    }
    double place = 0;
    for (const scheduler::Ranking::Record& r : page.records) {
      if (r.device != d || r.contender >= series.size()) continue;
      series[r.contender].points.push_back({++place, r.figures[objective].value});
    }
    if (place < 1) continue;
    html += svg_chart(
        {"In the order measured on " + one_line(page.devices[d].key()), "evaluation", axis_of(o)},
        series);
  }
  return html;
}

}  // namespace

std::vector<std::string> contender_heading(std::vector<std::string> before,
                                           const search::Problem& problem,
                                           const std::vector<std::string>& after) {
  for (const search::Objective& o : problem.objectives) before.push_back(o.name);
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

std::string compared_html(const ComparedPage& page) {
  std::string body =
      "<p class=\"verdict " + page.mood + "\">" + html_text(page.headline) + "</p>\n";
  if (!page.contenders.empty()) body += html_table(page.contenders);
  for (const std::string& remark : page.remarks) {
    if (!remark.empty()) body += html_paragraph(remark);
  }
  if (!page.details.empty()) body += html_section("Differences", html_table(page.details));
  const std::size_t objective = search::Scoring(*page.problem).primary_position();
  const std::string charts = boxes_html(page, objective) + order_html(page, objective);
  if (!charts.empty()) body += html_section("Evaluations", html_beside(charts));
  return html_page(page.title, body);
}

std::string compared_markdown(const ComparedPage& page) {
  std::string text = "### " + markdown_text(page.title + ": " + page.headline) + "\n\n" +
                     markdown_table(page.contenders) + "\n";
  for (const std::string& remark : page.remarks) {
    if (!remark.empty()) text += markdown_text(one_line(remark)) + "\n\n";
  }
  return text + markdown_details("Differences", markdown_table(page.details));
}

}  // namespace nightshift::tools
