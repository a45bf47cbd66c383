#include "tools/report/slide.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "search/scoring.h"
#include "tools/summary/summary_text.h"
#include "tools/text/configuration_text.h"
#include "tools/text/format.h"
#include "tools/text/markup.h"
#include "tools/text/svg_chart.h"
#include "tools/version.h"

namespace nightshift::tools {
namespace {

using scheduler::StudySummary;
using Figure = StudySummary::Figure;

// Programs for slides know no variables of style sheets: colours stand in each element.
constexpr const char *kInk = "#1b1d21", *kSoft = "#5b6168", *kGood = "#1d6f3a",
                     *kBaseline = "#d98a4e", *kBest = "#2461a8";
constexpr double kWidth = 1280, kHeight = 720, kLeft = 64, kRight = kWidth - 64;
constexpr double kBars = 240;   // where they begin
constexpr double kGroup = 146;  // of the bars of one objective
// Of the letters of a font without serifs, over its size: what surely fits.
constexpr double kLetter = 0.6;
constexpr std::size_t kMostObjectives = 2;

struct Font {
  double size;
  const char* colour;
  const char* weight = "400";
};

std::size_t letters_in(double width, double size) {
  return static_cast<std::size_t>(width / (kLetter * size));
}

std::string words_at(double x, double y, const Font& font, std::string_view text,
                     const char* anchor = "start") {
  return fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.0f}\" font-weight=\"{}\" fill=\"{}\" "
      "text-anchor=\"{}\">{}</text>\n",
      x, y, font.size, font.weight, font.colour, anchor, html_text(text));
}

// In at most so many lines, the last of which is cut where there is more.
std::string lines_at(double y, const Font& font, const std::string& text, std::size_t most) {
  const std::size_t letters = letters_in(kRight - kLeft, font.size);
  std::string body, rest = wrapped(one_line(text), 0, letters);
  for (std::size_t i = 1; i <= most && !rest.empty(); ++i) {
    const std::size_t end = i == most ? rest.size() : std::min(rest.find('\n'), rest.size());
    body += words_at(kLeft, y, font, fit(one_line(rest.substr(0, end)), letters));
    rest.erase(0, std::min(end + 1, rest.size()));
    y += 1.35 * font.size;
  }
  return body;
}

struct Bar {
  std::string label;
  Figure figure;
  const char* colour;
};

std::string value_text(const Figure& figure) {
  const std::string value = format_value(figure.value, figure.unit);
  const double low = figure.interval.low, high = figure.interval.high;
  return is_whisker(low, high) ? value + " " + format_interval(figure.interval, figure.unit)
                               : value;
}

// Bars from 0 along one scale, each with its whisker and its figure behind it.
std::string bars_at(double y, const std::vector<Bar>& bars) {
  constexpr double kTo = 720, kThick = 40, kStep = 56, kCap = 11;
  double most = 0;
  for (const Bar& bar : bars) {
    const bool reaches = is_whisker(bar.figure.interval.low, bar.figure.interval.high);
    most = std::max({most, bar.figure.value, reaches ? bar.figure.interval.high : 0.0});
  }
  if (!(most > 0)) return "";
  const auto x = [&](double value) { return kBars + std::max(value, 0.0) / most * (kTo - kBars); };
  std::string body;
  for (const Bar& bar : bars) {
    const double middle = y + kThick / 2;
    const double low = bar.figure.interval.low, high = bar.figure.interval.high;
    body += words_at(kBars - 20, middle + 9, {26, kInk}, bar.label, "end");
    body += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" fill=\"{}\"/>\n", kBars,
        y, std::max(x(bar.figure.value) - kBars, 2.0), kThick, bar.colour);
    double end = x(bar.figure.value);
    if (is_whisker(low, high)) {
      body += fmt::format(
          "<path d=\"M{0:.1f} {2:.1f}V{3:.1f}M{0:.1f} {4:.1f}H{1:.1f}M{1:.1f} {2:.1f}V{3:.1f}\" "
          "fill=\"none\" stroke=\"{5}\" stroke-width=\"2.5\"/>\n",
          x(low), x(high), middle - kCap, middle + kCap, middle, kInk);
      end = std::max(end, x(high));
    }
    const Font font{20, kInk};
    const std::string value = fit(value_text(bar.figure), letters_in(kRight - end - 16, font.size));
    body += words_at(end + 16, middle + 8, font, value);
    y += kStep;
  }
  return body;
}

const Figure* figure_named(const std::vector<Figure>& figures, const std::string& name) {
  const auto found = std::ranges::find(figures, name, &Figure::name);
  return found == figures.end() ? nullptr : &*found;
}

// Of the same pairs, where there are any; else as the devices measured it apart.
const std::vector<Figure>& baseline_of(const StudySummary& summary) {
  static const std::vector<Figure> none;
  if (!summary.compared_baseline.empty()) return summary.compared_baseline;
  return summary.baselines.empty() ? none : summary.baselines.front().figures;
}

std::string figures_at(double y, const StudySummary& summary, const search::Problem& problem) {
  if (!summary.best) return "";
  const search::Scoring scoring(problem);
  std::string body;
  std::size_t drawn = 0;
  for (const std::size_t k : scoring.sought()) {
    const std::string& name = scoring.all()[k].name;
    const Figure* before = figure_named(baseline_of(summary), name);
    const Figure* now = figure_named(summary.best->figures, name);
    if (before == nullptr || now == nullptr || drawn == kMostObjectives) continue;
    body += words_at(kBars, y, {22, kSoft}, one_line(name));
    body += bars_at(y + 14, {{"baseline", *before, kBaseline},
                             {summary.accepted ? "best" : "best seen", *now, kBest}});
    y += kGroup;
    ++drawn;
  }
  return body;
}

std::string claim_at(double y, const StudySummary& summary, const search::Problem& problem) {
  const search::Objective objective = search::judged_objective(problem);
  const std::string change = format_change(objective, summary.ratio);
  const bool is_long = width_of(change) > letters_in(kRight - kLeft, 44);
  const Font large{is_long ? 36.0 : 44.0, summary.accepted ? kGood : kInk, "700"};
  if (!summary.accepted) {
    return lines_at(y, large, headline_text(summary, problem), 2);
  }
  search::Interval ends = summary.ratio_interval;
  const std::string level =
      format_confidence(std::exchange(ends.confidence, search::Interval{}.confidence));
  const std::string interval = format_change_interval(objective, summary.ratio, ends);
  return lines_at(y, large, change, 1) +
         lines_at(y + 48, {26, kSoft}, level + " interval " + interval + ", confirmed on new data",
                  1);
}

// "NVIDIA H200 (node/gpu:0)"; what was recorded elsewhere has its device's name alone.
std::string devices_text(const scheduler::History& history, const StudySummary& summary,
                         const search::Problem& problem) {
  const char* wanted = problem.target == search::Target::kGpus ? "gpu 0" : "cpu";
  std::string model;
  for (const auto& [name, value] : history.header.environment) {
    if (name == wanted) model = one_line(value.substr(0, value.find(" GPU-")));
  }
  if (std::holds_alternative<search::RecordedBackend>(problem.backend)) model.clear();
  const std::size_t count = summary.baselines.size();
  if (count == 0) return model;
  const std::string where =
      count == 1 ? summary.baselines.front().device : count_of(count, "device");
  return model.empty() ? where : model + " (" + where + ")";
}

}  // namespace

std::string slide_of(const scheduler::History& history, const StudySummary& summary,
                     const search::Problem& problem) {
  const std::string title = one_line(problem.name);
  std::string body = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" aria-label=\"{2}\" "
      "font-family=\"Helvetica, Arial, Liberation Sans, sans-serif\">\n"
      "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#ffffff\"/>\n",
      kWidth, kHeight, html_text(title + ": " + headline_text(summary, problem)));
  body += lines_at(92, {36, kInk, "600"}, title, 1);
  body += claim_at(164, summary, problem);
  body += figures_at(268, summary, problem);
  if (summary.best) {
    body += words_at(kLeft, 570, {22, kSoft}, "What differs");
    body += lines_at(602, {22, kInk}, difference_text(summary.best->configuration, problem), 2);
  }
  const std::string devices = devices_text(history, summary, problem);
  body += lines_at(684, {18, kSoft},
                   (devices.empty() ? "" : devices + ", ") + format_date(history.header.created) +
                       ", nightshift " + version(),
                   1);
  return body + "</svg>\n";
}

}  // namespace nightshift::tools
