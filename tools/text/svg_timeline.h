#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace nightshift::tools {

// Who had what when: a row for each thing, a bar for each span of time in which somebody had it.

struct TimelineBar {
  std::size_t row = 0;
  std::size_t owner = 0;  // position in Timeline::owners, which gives its colour
  double from = 0, until = 0;
  bool thin = false;  // one that stands beside another's: at the lower edge
  std::string note;   // shown where a pointer rests on it
};
struct TimelineSpan {
  double from = 0, until = 0;
};
struct Timeline {
  std::string title;
  std::vector<std::string> rows;    // labels
  std::vector<std::string> owners;  // names
  std::vector<TimelineBar> bars;
  std::vector<TimelineSpan> grounds;  // when anybody could have had anything
};

// The chart as SVG elements for to_html(), as wide as the page: one of them is shown, which one
// the width of the page says, so that letters are as large as those around them. Times are in seconds from the
// left edge, shown in the unit that suits them. Bars of a row that overlap share its height. Names
// stand in the bars that are long enough, and in a legend where there are few. Text may be of any
// origin.
std::string svg_timeline(const Timeline& timeline);

}  // namespace nightshift::tools
