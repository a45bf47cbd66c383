#include "tools/text/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "tools/text/format.h"
#include "tools/text/markup.h"
#include "tools/text/short_names.h"
#include "tools/text/svg_frame.h"

namespace nightshift::tools {
namespace {

constexpr std::size_t kMostLabel = 24;  // of a row

constexpr double kLegendY = 34, kRowHeight = 18;
constexpr const char* kInk = "var(--ink)";

template <typename Row>
std::vector<std::string> labels_of(const std::vector<Row>& rows) {
  std::vector<std::string> labels;
  for (const Row& row : rows) labels.push_back(row.label);
  return short_names(std::move(labels), kMostLabel);
}

bool uses_x(ChartMark mark) { return mark != ChartMark::kLevel; }
bool uses_y(ChartMark mark) { return mark != ChartMark::kTicks; }

// What can be drawn of a series.
std::vector<ChartPoint> drawn(const ChartSeries& series, const ChartScale& x, const ChartScale& y) {
  std::vector<ChartPoint> points;
  for (const ChartPoint& p : series.points) {
    const bool there =
        (!uses_x(series.mark) || x.shows(p.x)) && (!uses_y(series.mark) || y.shows(p.y));
    if (there) points.push_back(p);
  }
  return points;
}

std::string path_of(const SvgFrame& frame, const ChartSeries& series,
                    const std::vector<ChartPoint>& points) {
  std::string path;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double x = frame.x(points[i].x), y = frame.y(points[i].y);
    if (series.mark == ChartMark::kSteps && i > 0) {
      path += fmt::format(" {:.1f},{:.1f}", x, frame.y(points[i - 1].y));
    }
    path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", x, y);
  }
  return fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke-width=\"2\" style=\"stroke:{}\"/>", path,
      html_text(series.colour));
}

std::string mark_of(const SvgFrame& frame, const ChartSeries& series, double x, double y) {
  const std::string colour = html_text(series.colour);
  switch (series.mark) {
    case ChartMark::kRings:
      return fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"none\" stroke-width=\"2.5\" "
          "style=\"stroke:{}\"/>",
          x, y, colour);
    case ChartMark::kTicks:
      return fmt::format(
          "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke-width=\"1.5\" "
          "style=\"stroke:{3}\"/>",
          x, y, y - 9, colour);
    case ChartMark::kLevel:
      return fmt::format(
          "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke-width=\"1.5\" "
          "stroke-dasharray=\"6 4\" style=\"stroke:{}\"/>",
          frame.left(), frame.right(), y, y, colour);
    default:
      return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" style=\"fill:{}\"/>", x, y,
                         colour);
  }
}

void draw(SvgFrame& frame, const ChartSeries& series, const std::vector<ChartPoint>& points) {
  if (points.empty()) return;
  if (series.mark == ChartMark::kLine || series.mark == ChartMark::kSteps) {
    frame.add(path_of(frame, series, points));
    return;
  }
  // A long study has more points than the picture has pixels.
  std::set<std::pair<long, long>> taken;
  for (const ChartPoint& p : points) {
    const double x = uses_x(series.mark) ? frame.x(p.x) : frame.left();
    const double y = uses_y(series.mark) ? frame.y(p.y) : frame.bottom();
    if (!taken.emplace(std::lround(x), std::lround(y)).second) continue;
    frame.add(mark_of(frame, series, x, y));
  }
}

// In a row under the title. The text stands in for the mark, in its colour.
void draw_legend(SvgFrame& frame, const std::vector<ChartSeries>& series) {
  constexpr double kCharacter = 7, kMark = 12, kGap = 16;  // of names in capitals as well
  double x = 8;
  for (const ChartSeries& s : series) {
    if (s.name.empty() || s.points.empty()) continue;
    frame.add(
        fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\" stroke-width=\"2\" "
                    "style=\"{}:{}\"/>",
                    x, kLegendY - 4, s.mark == ChartMark::kRings ? "none" : "inherit",
                    s.mark == ChartMark::kRings ? "stroke" : "fill", html_text(s.colour)));
    frame.text(x + 8, kLegendY, s.name, "start", s.colour.c_str());
    x += kMark + kGap + kCharacter * static_cast<double>(width_of(s.name));
  }
}

}  // namespace

std::string svg_chart(const ChartAxes& axes, const std::vector<ChartSeries>& series) {
  ChartScale x(axes.log_x), y(axes.log_y);
  std::vector<std::vector<ChartPoint>> all;
  for (const ChartSeries& s : series) {
    all.push_back(drawn(s, x, y));
    for (const ChartPoint& p : all.back()) {
      if (uses_x(s.mark)) x.add(p.x);
      if (uses_y(s.mark)) y.add(p.y);
    }
  }
  if (axes.from_zero) y.start_at_zero();
  x.settle(0.02);
  y.settle(0.06);
  SvgFrame frame(axes, x, y);
  for (std::size_t i = 0; i < series.size(); ++i) draw(frame, series[i], all[i]);
  draw_legend(frame, series);
  return frame.done();
}

std::string svg_histogram(const ChartAxes& axes, const std::vector<double>& values,
                          std::size_t bins) {
  ChartScale x(axes.log_x), y;
  for (const double v : values) x.add(v);
  x.settle(0);
  std::vector<double> counts(bins, 0);
  for (const double v : values) {
    if (!x.shows(v)) continue;
    const auto place = static_cast<std::size_t>(x.share(v) * static_cast<double>(bins));
    ++counts[std::min(place, bins - 1)];
  }
  y.add(std::ranges::max(counts));
  y.start_at_zero();
  y.settle(0.06);
  SvgFrame frame(axes, x, y);
  const double width = (frame.right() - frame.left()) / static_cast<double>(bins);
  for (std::size_t i = 0; i < bins; ++i) {
    frame.add(fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" style=\"fill:{}\"/>",
        frame.left() + width * static_cast<double>(i), frame.y(counts[i]), std::max(width - 1, 0.5),
        frame.bottom() - frame.y(counts[i]), kBlue));
  }
  return frame.done();
}

std::string svg_boxes(const ChartAxes& axes, const std::vector<ChartBox>& boxes, ChartSpan span) {
  constexpr double kCapital = 8;  // names of parameters are mostly in capitals
  ChartScale x(axes.log_x);
  x.add(span.low);
  x.add(span.high);
  std::size_t label = width_of(axes.y), note = 0;
  for (const ChartBox& b : boxes) {
    for (const double v : {b.low, b.high, b.best}) x.add(v);
    label = std::max(label, std::min(width_of(b.label), kMostLabel));
    note = std::max(note, width_of(b.note));
  }
  x.settle(0.04);
  const ChartMargins margins{16 + kCapital * static_cast<double>(std::min(label, kMostLabel)),
                             14 + 6.8 * static_cast<double>(note), 26, 42};
  const double height =
      margins.top + margins.bottom + kRowHeight * static_cast<double>(boxes.size());
  SvgFrame frame(axes, x, height, margins);
  const std::vector<std::string> labels = labels_of(boxes);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const ChartBox& b = boxes[i];
    const double middle = frame.top() + kRowHeight * (static_cast<double>(i) + 0.5);
    const std::string label_text = one_line(b.label);
    frame.add("<g><title>" + html_text(label_text) + "</title>");
    frame.text(frame.left() - 8, middle + 4, fit(labels[i], kMostLabel), "end", kInk);
    frame.add("</g>");
    frame.text(SvgFrame::kWidth - 4, middle + 4, b.note, "end", kGrey);
    if (!x.shows(b.low) || !x.shows(b.median) || !x.shows(b.high)) continue;
    frame.add(
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"11\" rx=\"2\" "
                    "style=\"fill:var(--fill)\"/>",
                    frame.x(b.low), middle - 5.5, std::max(frame.x(b.high) - frame.x(b.low), 1.0)));
    frame.add(
        fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" "
                    "stroke-width=\"2.5\" style=\"stroke:{3}\"/>",
                    frame.x(b.median), middle - 7, middle + 7, kBlue));
    if (!x.shows(b.best)) continue;
    frame.add(fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" style=\"fill:{}\"/>",
                          frame.x(b.best), middle, kOrange));
  }
  return frame.done();
}

namespace {

void draw_bar(SvgFrame& frame, const ChartBar& bar, double middle) {
  constexpr double kBarHeight = 14, kCap = 5;
  const double zero = frame.x(0), end = frame.x(bar.value);
  frame.add(
      fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\" "
                  "style=\"fill:{}\"/>",
                  std::min(zero, end), middle - kBarHeight / 2, std::max(std::abs(end - zero), 1.0),
                  kBarHeight, html_text(bar.colour)));
  if (!is_whisker(bar.low, bar.high)) return;
  frame.add(
      fmt::format("<path d=\"M{0:.1f} {2:.1f}V{3:.1f}M{0:.1f} {4:.1f}H{1:.1f}M{1:.1f} "
                  "{2:.1f}V{3:.1f}\" fill=\"none\" stroke-width=\"1.5\" "
                  "style=\"stroke:var(--ink)\"/>",
                  frame.x(bar.low), frame.x(bar.high), middle - kCap, middle + kCap, middle));
}

}  // namespace

bool is_whisker(double low, double high) {
  return std::isfinite(low) && std::isfinite(high) && low < high;
}

std::string svg_bars(const ChartAxes& axes, const std::vector<ChartBar>& bars) {
  constexpr double kCharacter = 7.2, kBarRow = 26;
  ChartScale x;
  x.add(0);
  std::size_t label = 0, note = 0;
  for (const ChartBar& bar : bars) {
    x.add(bar.value);
    if (is_whisker(bar.low, bar.high)) x.add(bar.high);
    label = std::max(label, std::min(width_of(one_line(bar.label)), kMostLabel));
    note = std::max(note, width_of(bar.note));
  }
  x.start_at_zero();
  x.settle(0.04);
  const ChartMargins margins{16 + kCharacter * static_cast<double>(label),
                             14 + 6.8 * static_cast<double>(note), 26, 42};
  SvgFrame frame(axes, x, margins.top + margins.bottom + kBarRow * static_cast<double>(bars.size()),
                 margins);
  const std::vector<std::string> labels = labels_of(bars);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const ChartBar& bar = bars[i];
    const double middle = frame.top() + kBarRow * (static_cast<double>(i) + 0.5);
    const std::string whole = one_line(bar.label);
    frame.add("<g><title>" + html_text(whole) + "</title>");
    frame.text(frame.left() - 8, middle + 4, fit(labels[i], kMostLabel), "end", "var(--ink)");
    frame.add("</g>");
    frame.text(SvgFrame::kWidth - 4, middle + 4, bar.note, "end", kGrey);
    if (x.shows(bar.value)) draw_bar(frame, bar, middle);
  }
  return frame.done();
}

}  // namespace nightshift::tools
