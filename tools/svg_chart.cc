#include "tools/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/format.h"

namespace nightshift::tools {
namespace {

constexpr double kWidth = 460, kHeight = 260;
constexpr double kLeft = 64, kRight = 12, kTop = 28, kBottom = 42;
constexpr int kTicks = 4;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  void settle() {
    if (!(low <= high)) *this = {0, 1};
    if (low == high) {
      const double half = low == 0 ? 1 : std::abs(low) * 0.01;
      low -= half;
      high += half;
    }
  }
  double share(double v) const { return (v - low) / (high - low); }
};

// A frame with scales; places are in the units of the axes.
class Frame {
 public:
  Frame(const ChartAxes& axes, Range x, Range y) : axes_(axes), x_(x), y_(y) {
    x_.settle();
    y_.settle();
    if (axes.from_zero) y_.low = 0;
    body_ = fmt::format(
        "<svg viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" role=\"img\" font-size=\"11\" "
        "font-family=\"sans-serif\">\n<text x=\"{}\" y=\"16\" font-size=\"13\">{}</text>\n",
        kWidth, kHeight, kWidth, kHeight, kLeft, html_text(axes.title));
    draw_axes();
  }
  double x(double v) const { return kLeft + x_.share(v) * (kWidth - kLeft - kRight); }
  double y(double v) const { return kHeight - kBottom - y_.share(v) * (kHeight - kTop - kBottom); }
  void add(const std::string& element) { body_ += element + "\n"; }
  std::string done() const { return body_ + "</svg>\n"; }

 private:
  void draw_axes() {
    for (int i = 0; i <= kTicks; ++i) {
      const double share = static_cast<double>(i) / kTicks;
      const double vx = x_.low + share * (x_.high - x_.low);
      const double vy = y_.low + share * (y_.high - y_.low);
      add(
          fmt::format("<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" "
                      "stroke=\"#ddd\"/>",
                      kLeft, kWidth - kRight, y(vy), y(vy)));
      add(fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", kLeft - 5,
                      y(vy) + 4, format_number(vy)));
      add(fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>", x(vx),
                      kHeight - kBottom + 15, format_number(axes_.log_x ? std::exp2(vx) : vx)));
    }
    add(fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>",
                    (kLeft + kWidth - kRight) / 2, kHeight - 8, html_text(axes_.x)));
    add(
        fmt::format("<text transform=\"translate(12 {:.1f}) rotate(-90)\" "
                    "text-anchor=\"middle\">{}</text>",
                    (kTop + kHeight - kBottom) / 2, html_text(axes_.y)));
  }

  ChartAxes axes_;
  Range x_, y_;
  std::string body_;
};

std::vector<ChartPoint> drawn(const ChartAxes& axes, const ChartSeries& series) {
  std::vector<ChartPoint> points;
  for (const ChartPoint& p : series.points) {
    const double x = axes.log_x ? std::log2(p.x) : p.x;
    if (std::isfinite(x) && std::isfinite(p.y)) points.push_back({x, p.y});
  }
  return points;
}

void draw(Frame& frame, const ChartSeries& series, const std::vector<ChartPoint>& points) {
  if (series.line) {
    std::string path;
    for (const ChartPoint& p : points) {
      path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", frame.x(p.x), frame.y(p.y));
    }
    frame.add(
        fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" "
                    "stroke-width=\"2\"/>",
                    path, series.colour));
    return;
  }
  for (const ChartPoint& p : points) {
    frame.add(fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>",
                          frame.x(p.x), frame.y(p.y), series.colour));
  }
}

}  // namespace

std::string html_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else if (c == '"')
      escaped += "&quot;";
    else
      escaped += c;
  }
  return escaped;
}

std::string svg_chart(const ChartAxes& axes, const std::vector<ChartSeries>& series) {
  Range x, y;
  std::vector<std::vector<ChartPoint>> all;
  for (const ChartSeries& s : series) {
    all.push_back(drawn(axes, s));
    for (const ChartPoint& p : all.back()) {
      x.add(p.x);
      y.add(p.y);
    }
  }
  Frame frame(axes, x, y);
  double legend = kTop + 8;
  for (std::size_t i = 0; i < series.size(); ++i) {
    draw(frame, series[i], all[i]);
    if (series[i].name.empty()) continue;
    frame.add(
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\" fill=\"{}\">{}"
                    "</text>",
                    kWidth - kRight - 4, legend, series[i].colour, html_text(series[i].name)));
    legend += 14;
  }
  return frame.done();
}

std::string svg_histogram(const ChartAxes& axes, const std::vector<double>& values,
                          std::size_t bins) {
  Range x, y;
  for (const double v : values) {
    if (std::isfinite(v)) x.add(v);
  }
  x.settle();
  std::vector<double> counts(bins, 0);
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    const auto place = static_cast<std::size_t>(x.share(v) * static_cast<double>(bins));
    ++counts[std::min(place, bins - 1)];
  }
  y.add(0);
  y.add(std::ranges::max(counts));
  Frame frame(axes, x, y);
  const double step = (x.high - x.low) / static_cast<double>(bins);
  for (std::size_t i = 0; i < bins; ++i) {
    const double from = frame.x(x.low + step * static_cast<double>(i));
    const double to = frame.x(x.low + step * static_cast<double>(i + 1));
    frame.add(fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
        "fill=\"#4878a8\"/>",
        from, frame.y(counts[i]), std::max(to - from - 1, 0.5), frame.y(0) - frame.y(counts[i])));
  }
  return frame.done();
}

}  // namespace nightshift::tools
