#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "search/statistics/interval.h"

namespace nightshift::bench {

struct PlotLine {
  std::string name;
  std::vector<double> values;           // by place
  std::vector<search::Interval> bands;  // the same length, or empty for none
  bool dashed = false;
};

// A convergence plot as a complete SVG document: fraction of the optimum over evaluations on a
// logarithmic axis, a band around each line, legend at the right. The same input gives the same
// bytes.
std::string convergence_plot(const std::string& title, const std::vector<std::size_t>& places,
                             const std::vector<PlotLine>& lines);

}  // namespace nightshift::bench
