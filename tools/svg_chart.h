#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace nightshift::tools {

// Charts as SVG elements to be put into a page. The same input gives the same bytes.

struct ChartPoint {
  double x = 0, y = 0;
};
struct ChartSeries {
  std::string name;  // in the legend; empty = not there
  std::string colour;
  std::vector<ChartPoint> points;
  bool line = false;  // joined by lines, else dots
};
struct ChartAxes {
  std::string title, x, y;
  bool log_x = false;
  bool from_zero = false;  // the y axis
};
// Points that are not finite are left out.
std::string svg_chart(const ChartAxes& axes, const std::vector<ChartSeries>& series);

// Equal bins from the smallest to the largest value.
std::string svg_histogram(const ChartAxes& axes, const std::vector<double>& values,
                          std::size_t bins);

// & < > " as entities.
std::string html_text(const std::string& text);

}  // namespace nightshift::tools
