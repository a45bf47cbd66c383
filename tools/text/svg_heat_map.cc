#include "tools/text/svg_heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/text/markup.h"
#include "tools/text/svg_frame.h"

namespace nightshift::tools {
namespace {

constexpr double kCell = 14;     // pixels, at most doubled
constexpr double kWidest = 900;  // pixels

std::string svg_cell(const HeatCell& cell, std::size_t column, std::size_t row) {
  const double strength = cell.is_known ? 0.1 + 0.9 * std::min(1.0, std::abs(cell.log_ratio)) : 0.2;
  const char* colour = !cell.is_known ? kGrey : cell.log_ratio <= 0 ? kGreen : kRed;
  return fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" fill-opacity=\"{:.2f}\" "
      "stroke=\"{}\"><title>{}</title></rect>\n",
      kCell * static_cast<double>(column), kCell * static_cast<double>(row), kCell - 2, kCell - 2,
      colour, strength, cell.is_marked ? "currentColor" : "none", html_text(cell.note));
}

}  // namespace

std::string svg_heat_map(const HeatMap& map) {
  std::string cells;
  std::size_t rows = 1;
  for (std::size_t c = 0; c < map.columns.size(); ++c) {
    rows = std::max(rows, map.columns[c].size());
    for (std::size_t r = 0; r < map.columns[c].size(); ++r) {
      cells += svg_cell(map.columns[c][r], c, r);
    }
  }
  const double width = kCell * static_cast<double>(map.columns.size()) + 2;
  return fmt::format(
      "<svg viewBox=\"-1 -1 {} {}\" style=\"width: {}px; max-width: 100%; height: auto\" "
      "role=\"img\">\n{}</svg>\n",
      width, kCell * static_cast<double>(rows) + 2, std::min(kWidest, 2 * width), cells);
}

}  // namespace nightshift::tools
