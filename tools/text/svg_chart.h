#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/text/svg_frame.h"

namespace nightshift::tools {

// Charts as SVG elements to be put into a page of to_html(), whose colours they use. The same
// input gives the same bytes; text may be of any origin.

struct ChartPoint {
  double x = 0, y = 0;
};
enum class ChartMark : std::uint8_t {
  kDots,   // of many at the same place one is drawn
  kLine,   // joined by lines
  kSteps,  // each value holds until the next
  kRings,
  kTicks,  // at the lower edge: y is not used
  kLevel,  // a dashed line from edge to edge at each y: x is not used
};
struct ChartSeries {
  std::string name;  // in the legend; empty = not there
  std::string colour;
  std::vector<ChartPoint> points;
  ChartMark mark = ChartMark::kDots;
};
// Points that are not finite, or not positive along a logarithmic axis, are left out.
std::string svg_chart(const ChartAxes& axes, const std::vector<ChartSeries>& series);

// Equal bins from the smallest to the largest value.
std::string svg_histogram(const ChartAxes& axes, const std::vector<double>& values,
                          std::size_t bins);

// One line for each group of values, labelled at the left and with `note` at the right: a box from
// quartile to quartile with the median in it, and a dot for the best. Along the x axis of `axes`,
// whose y stands above the labels.
struct ChartBox {
  std::string label, note;
  double low = 0, median = 0, high = 0, best = 0;
};
struct ChartSpan {
  double low = 0, high = 0;
};
// `span` is what the axis shows at least, so that several charts can be compared.
std::string svg_boxes(const ChartAxes& axes, const std::vector<ChartBox>& boxes, ChartSpan span);

// A bar from 0 to `value`, labelled at the left and with `note` at the right, and a whisker from
// `low` to `high` where these are finite and apart.
struct ChartBar {
  std::string label, note;
  std::string colour;
  double value = 0, low = 0, high = 0;
};

// One line for each bar, along the x axis of `axes`.
std::string svg_bars(const ChartAxes& axes, const std::vector<ChartBar>& bars);

// Whether there is anything to draw between them.
bool is_whisker(double low, double high);

}  // namespace nightshift::tools
