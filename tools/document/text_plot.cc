#include "tools/document/text_plot.h"

#include <algorithm>
#include <cmath>

#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

bool plottable(std::span<const double> values) {
  return values.size() > 1 &&
         std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

// Where `value` lies among `places` equal parts from low to high.
std::size_t location_of(double value, double low, double high, std::size_t places) {
  if (!(high > low)) return 0;
  const double share = (value - low) / (high - low) * static_cast<double>(places);
  return std::min(places - 1, static_cast<std::size_t>(std::max(share, 0.0)));
}

}  // namespace

std::string text_bar(double share, std::size_t width) {
  if (!(share > 0)) return "";
  const auto length = static_cast<std::size_t>(std::lround(share * static_cast<double>(width)));
  return std::string(std::clamp<std::size_t>(length, 1, width), '#');
}

std::string text_histogram(std::span<const double> values, std::size_t bins, std::size_t width,
                           const std::string& unit, std::size_t indent) {
  if (!plottable(values)) return "";
  const auto [low, high] = std::ranges::minmax(values);
  if (!(high > low)) bins = 1;
  std::vector<std::size_t> counts(bins, 0);
  for (const double v : values) ++counts[location_of(v, low, high, bins)];
  const auto most = static_cast<double>(std::ranges::max(counts));
  Rows rows;
  for (std::size_t i = 0; i < bins; ++i) {
    const double start = low + (high - low) * static_cast<double>(i) / static_cast<double>(bins);
    rows.push_back({i == 0 ? format_value(start, unit) : format_number(start),
                    padded(text_bar(static_cast<double>(counts[i]) / most, width), width),
                    counts[i] > 0 ? std::to_string(counts[i]) : ""});
  }
  return table(rows, indent);
}

std::string text_series(std::span<const double> values, const std::vector<bool>& marked,
                        std::size_t rows, std::size_t width, std::size_t indent) {
  if (!plottable(values)) return "";
  const std::size_t columns = std::min(width, values.size());
  std::vector<double> heights(columns, 0);
  std::vector<std::size_t> counts(columns, 0);
  std::vector<bool> marks(columns, false);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t column = i * columns / values.size();
    heights[column] += values[i];
    ++counts[column];
    if (i < marked.size() && marked[i]) marks[column] = true;
  }
  for (std::size_t c = 0; c < columns; ++c) heights[c] /= static_cast<double>(counts[c]);
  const auto [low, high] = std::ranges::minmax(heights);
  std::vector<std::string> picture(rows, std::string(columns, ' '));
  for (std::size_t c = 0; c < columns; ++c) {
    picture[rows - 1 - location_of(heights[c], low, high, rows)][c] = marks[c] ? 'o' : '*';
  }
  Rows lines;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::string scale = r == 0          ? format_number(high)
                              : r + 1 == rows ? format_number(low)
                                              : std::string();
    lines.push_back({scale, "|" + picture[r]});
  }
  return table(lines, indent);
}

}  // namespace nightshift::tools
