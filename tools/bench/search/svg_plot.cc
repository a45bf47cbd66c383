#include "tools/bench/search/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace nightshift::bench {
namespace {

constexpr double kLeft = 60, kTop = 44, kWidth = 560, kHeight = 360, kLegend = 260;
constexpr double kRight = kLeft + kWidth, kBottom = kTop + kHeight;
// Told apart by colour-blind eyes too (Okabe and Ito), then Tableau's.
constexpr std::array<const char*, 12> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#000000", "#9467bd",
                                                  "#8c564b", "#bcbd22", "#7f7f7f", "#17becf"};

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else {
      result += c;
    }
  }
  return result;
}

class Axes {
 public:
  Axes(double last, double lowest) : last_(last) {
    const double room = std::max(1e-6, 1 - lowest);
    for (const double step : {0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2}) {
      step_ = step;
      if (room / step <= 8) break;
    }
    low_ = std::max(0.0, std::floor(lowest / step_) * step_);
  }

  double x(double evaluations) const {
    return kLeft + kWidth * (last_ > 1 ? std::log(evaluations) / std::log(last_) : 0);
  }
  double y(double fraction) const { return kBottom - kHeight * (fraction - low_) / (1 - low_); }

  std::string drawn() const {
    std::string svg;
    const int decimals = step_ < 0.001 ? 4 : step_ < 0.01 ? 3 : 2;
    for (double v = 1; v >= low_ - step_ / 2; v -= step_) {
      svg += fmt::format(
          "<line x1='{:.1f}' x2='{:.1f}' y1='{:.1f}' y2='{:.1f}' stroke='#ddd'/>"
          "<text x='{:.1f}' y='{:.1f}' text-anchor='end'>{:.{}f}</text>\n",
          kLeft, kRight, y(v), y(v), kLeft - 6, y(v) + 4, v, decimals);
    }
    for (double decade = 1; decade <= last_; decade *= 10) {
      for (const double part : {1.0, 2.0, 4.0}) {
        const double v = decade * part;
        if (v <= last_) svg += x_tick(v);
      }
    }
    svg += fmt::format(
        "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='none' stroke='#444'/>\n"
        "<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>evaluations (failures included)</text>\n"
        "<text transform='translate(16,{:.1f}) rotate(-90)' text-anchor='middle'>mean fraction of "
        "the optimum</text>\n",
        kLeft, kTop, kWidth, kHeight, (kLeft + kRight) / 2, kBottom + 36, (kTop + kBottom) / 2);
    return svg;
  }

 private:
  std::string x_tick(double v) const {
    return fmt::format(
        "<line x1='{0:.1f}' x2='{0:.1f}' y1='{1:.1f}' y2='{2:.1f}' stroke='#eee'/>"
        "<text x='{0:.1f}' y='{3:.1f}' text-anchor='middle'>{4:.0f}</text>\n",
        x(v), kTop, kBottom, kBottom + 17, v);
  }

  double last_, low_ = 0, step_ = 0.1;
};

std::string band(const Axes& axes, const std::vector<std::size_t>& places, const PlotLine& line,
                 const char* colour) {
  if (line.bands.empty()) return "";
  std::string points;
  const auto add = [&](std::size_t i, double value) {
    points += fmt::format("{:.1f},{:.1f} ", axes.x(static_cast<double>(places[i])), axes.y(value));
  };
  for (std::size_t i = 0; i < places.size(); ++i) add(i, line.bands[i].high);
  for (std::size_t i = places.size(); i-- > 0;) add(i, line.bands[i].low);
  return fmt::format("<polygon points='{}' fill='{}' fill-opacity='0.15'/>\n", points, colour);
}

std::string curve(const Axes& axes, const std::vector<std::size_t>& places, const PlotLine& line,
                  const char* colour) {
  std::string points;
  for (std::size_t i = 0; i < places.size(); ++i) {
    points += fmt::format("{:.1f},{:.1f} ", axes.x(static_cast<double>(places[i])),
                          axes.y(line.values[i]));
  }
  return fmt::format("<polyline points='{}' fill='none' stroke='{}' stroke-width='2'{}/>\n", points,
                     colour, line.dashed ? " stroke-dasharray='5 4'" : "");
}

std::string legend_entry(std::size_t row, const PlotLine& line, const char* colour) {
  const double y = kTop + 12 + 19 * static_cast<double>(row);
  return fmt::format(
      "<line x1='{:.1f}' x2='{:.1f}' y1='{:.1f}' y2='{:.1f}' stroke='{}' stroke-width='3'{}/>"
      "<text x='{:.1f}' y='{:.1f}'>{} {:.3f}</text>\n",
      kRight + 14, kRight + 40, y, y, colour, line.dashed ? " stroke-dasharray='5 4'" : "",
      kRight + 46, y + 4, escaped(line.name), line.values.back());
}

}  // namespace

std::string convergence_plot(const std::string& title, const std::vector<std::size_t>& places,
                             const std::vector<PlotLine>& lines) {
  double lowest = 0.999;  // an axis needs some room
  for (const PlotLine& line : lines) {
    for (const double value : line.values) lowest = std::min(lowest, value);
    for (const search::Interval& interval : line.bands) lowest = std::min(lowest, interval.low);
  }
  const Axes axes(static_cast<double>(places.back()), lowest);
  const double legend = kTop + 30 + 19 * static_cast<double>(lines.size());
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0:.0f}' height='{1:.0f}' viewBox='0 0 "
      "{0:.0f} {1:.0f}' font-family='sans-serif' font-size='12'>\n"
      "<rect width='100%' height='100%' fill='white'/>\n"
      "<text x='{2:.1f}' y='24' font-size='15'>{3}</text>\n",
      kRight + kLegend, std::max(kBottom + 50, legend), kLeft, escaped(title));
  svg += axes.drawn();
  const auto colour = [&](std::size_t i) {
    return lines[i].dashed ? "#666666" : kColours[i % kColours.size()];
  };
  for (std::size_t i = 0; i < lines.size(); ++i) svg += band(axes, places, lines[i], colour(i));
  for (std::size_t i = 0; i < lines.size(); ++i) svg += curve(axes, places, lines[i], colour(i));
  for (std::size_t i = 0; i < lines.size(); ++i) svg += legend_entry(i, lines[i], colour(i));
  return svg + "</svg>\n";
}

}  // namespace nightshift::bench
