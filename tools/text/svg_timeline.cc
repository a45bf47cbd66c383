#include "tools/text/svg_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tools/text/format.h"
#include "tools/text/markup.h"
#include "tools/text/short_names.h"
#include "tools/text/svg_frame.h"

namespace nightshift::tools {
namespace {

// The second is for pages below 640 px (tools/document/document_html.cc).
constexpr double kPageWidth = 1080, kNarrowWidth = SvgFrame::kWidth, kRowPitch = 26,
                 kBarHeight = 16, kThinHeight = 4;
constexpr double kLetter = 6.6;  // width of a character
constexpr std::size_t kLongestLabel = 20, kLongestInLegend = 24, kMostInLegend = 12;
constexpr double kLegendPitch = 17;
constexpr const char* kText = "var(--ink)";

// Neighbours in the list are far apart on the circle of hues (the golden angle).
std::string colour_of(std::size_t owner) {
  return fmt::format("hsl({:.0f} 55% 66%)",
                     std::fmod(210 + 137.508 * static_cast<double>(owner), 360));
}

struct Unit {
  double seconds = 1;
  const char* name = "seconds";
};

Unit unit_for(double seconds) {
  if (seconds > 2 * 3600) return {3600, "hours"};
  if (seconds > 2 * 60) return {60, "minutes"};
  return {};
}

// Which part of its row's height a bar has: lane `lane` of `lanes`.
struct Place {
  std::size_t lane = 0, lanes = 1;
};

// The first lane that is free when a bar begins, and of bars that touch each other the same number
// of lanes.
std::vector<Place> places_of(const std::vector<TimelineBar>& bars) {
  std::vector<Place> places(bars.size());
  std::map<std::size_t, std::vector<std::size_t>> rows;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    if (!bars[i].thin) rows[bars[i].row].push_back(i);
  }
  for (auto& [row, members] : rows) {
    std::ranges::stable_sort(members, {}, [&](std::size_t i) { return bars[i].from; });
    std::vector<double> free_from;     // by lane
    std::vector<std::size_t> cluster;  // bars that touch each other
    double reached = 0;
    const auto close = [&] {
      for (const std::size_t i : cluster) places[i].lanes = free_from.size();
      cluster.clear();
      free_from.clear();
    };
    for (const std::size_t i : members) {
      if (!cluster.empty() && bars[i].from >= reached) close();
      std::size_t lane = 0;
      while (lane < free_from.size() && free_from[lane] > bars[i].from) ++lane;
      if (lane == free_from.size()) free_from.push_back(0);
      free_from[lane] = bars[i].until;
      reached = cluster.empty() ? bars[i].until : std::max(reached, bars[i].until);
      places[i].lane = lane;
      cluster.push_back(i);
    }
    close();
  }
  return places;
}

struct LegendEntry {
  std::size_t owner = 0, line = 0;
  double x = 0;
  std::string name;
};

// In as many lines as they need from `left` to `right`; none where there are many.
std::vector<LegendEntry> legend_of(const Timeline& timeline, double left, double right) {
  std::set<std::size_t> owners;
  for (const TimelineBar& bar : timeline.bars) owners.insert(bar.owner);
  std::vector<LegendEntry> entries;
  if (owners.size() > kMostInLegend) return entries;
  const std::vector<std::string> names = short_names(timeline.owners, kLongestInLegend);
  std::size_t line = 0;
  double x = left;
  for (const std::size_t owner : owners) {
    const std::string name = fit(names[owner], kLongestInLegend);
    const double width = 30 + kLetter * static_cast<double>(width_of(name));
    if (x + width > right && x > left) {
      ++line;
      x = left;
    }
    entries.push_back({owner, line, x, name});
    x += width;
  }
  return entries;
}

class Painter {
 public:
  Painter(const Timeline& timeline, SvgFrame& frame, double unit)
      : timeline_(timeline), frame_(frame), unit_(unit) {}

  void grounds() {
    const std::vector<std::string> labels = short_names(timeline_.rows, kLongestLabel);
    for (std::size_t row = 0; row < timeline_.rows.size(); ++row) {
      for (const TimelineSpan& span : timeline_.grounds) {
        rectangle(span.from, span.until, top(row), kBarHeight + kThinHeight, "var(--box)", "");
      }
      const std::string label = one_line(timeline_.rows[row]);
      frame_.add("<g><title>" + html_text(label) + "</title>");
      frame_.text(frame_.left() - 8, top(row) + 13, fit(labels[row], kLongestLabel), "end", kText);
      frame_.add("</g>");
    }
  }

  void bars() {
    const std::vector<Place> places = places_of(timeline_.bars);
    for (std::size_t i = 0; i < timeline_.bars.size(); ++i) {
      const TimelineBar& bar = timeline_.bars[i];
      const double lane = kBarHeight / static_cast<double>(places[i].lanes);
      const double y = bar.thin ? top(bar.row) + kBarHeight
                                : top(bar.row) + lane * static_cast<double>(places[i].lane);
      rectangle(bar.from, bar.until, y, bar.thin ? kThinHeight : lane, colour_of(bar.owner),
                bar.note);
      if (!bar.thin && places[i].lanes == 1) name(bar, y);
    }
  }

  void legend(const std::vector<LegendEntry>& entries, double y) {
    for (const LegendEntry& entry : entries) {
      const double line = y + kLegendPitch * static_cast<double>(entry.line);
      frame_.add(
          fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"11\" height=\"11\" "
                      "style=\"fill:{}\"/>",
                      entry.x, line - 10, colour_of(entry.owner)));
      frame_.text(entry.x + 15, line, entry.name, "start", kText);
    }
  }

 private:
  double top(std::size_t row) const {
    return frame_.top() + 3 + kRowPitch * static_cast<double>(row);
  }
  double x(double seconds) const { return frame_.x(seconds / unit_); }

  void rectangle(double from, double until, double y, double height, const std::string& colour,
                 const std::string& note) {
    const std::string title = note.empty() ? "" : "<title>" + html_text(note) + "</title>";
    frame_.add(
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                    "style=\"fill:{}\">{}</rect>",
                    x(from), y, std::max(x(until) - x(from), 0.7), height, colour, title));
  }

  // Dark on every colour of colour_of().
  void name(const TimelineBar& bar, double y) {
    const std::string text = one_line(timeline_.owners[bar.owner]);
    if (kLetter * static_cast<double>(width_of(text)) + 6 > x(bar.until) - x(bar.from)) return;
    frame_.add(
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"11\" "
                    "pointer-events=\"none\" style=\"fill:#101418\">{}</text>",
                    x(bar.from) + 3, y + 12, html_text(text)));
  }

  const Timeline& timeline_;
  SvgFrame& frame_;
  double unit_;
};

std::string picture(const Timeline& timeline, double width) {
  double end = 0;
  std::size_t label = 0;
  for (const TimelineSpan& span : timeline.grounds) end = std::max(end, span.until);
  for (const TimelineBar& bar : timeline.bars) end = std::max(end, bar.until);
  for (const std::string& row : timeline.rows) {
    label = std::max(label, std::min(width_of(row), kLongestLabel));
  }
  const Unit unit = unit_for(end);
  ChartScale x;
  x.add(0);
  x.add(end / unit.seconds);
  x.settle(0);
  const double rows = kRowPitch * static_cast<double>(timeline.rows.size());
  ChartMargins margins{20 + kLetter * static_cast<double>(label), 16, 46, 44};
  const double least = margins.left, most = width - margins.right;
  const std::vector<LegendEntry> legend = legend_of(timeline, least, most);
  if (!legend.empty()) margins.top += kLegendPitch * static_cast<double>(legend.back().line);
  SvgFrame frame({timeline.title, std::string(unit.name) + " since the batch began", ""}, x,
                 margins.top + rows + margins.bottom, margins, width);
  Painter painter(timeline, frame, unit.seconds);
  painter.grounds();
  painter.bars();
  painter.legend(legend, 36);
  return frame.done();
}

}  // namespace

std::string svg_timeline(const Timeline& timeline) {
  if (timeline.bars.empty() || timeline.rows.empty()) return "";
  return picture(timeline, kPageWidth) + "<div class=\"narrow\">\n" +
         picture(timeline, kNarrowWidth) + "</div>\n";
}

}  // namespace nightshift::tools
