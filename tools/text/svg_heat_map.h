#pragma once

#include <string>
#include <vector>

namespace nightshift::tools {

// Of each column and row how much less or more it costs than what it is compared with.

struct HeatCell {
  double log_ratio = 0;  // below 0: less, green; above: more, red
  bool is_known = true;  // false: grey
  bool is_marked = false;
  std::string note;  // shown where a pointer rests on it
};
struct HeatMap {
  std::vector<std::vector<HeatCell>> columns;  // each with its rows
};

// The picture as an SVG element for to_html(), no wider than the page. Notes may be of any origin.
std::string svg_heat_map(const HeatMap& map);

}  // namespace nightshift::tools
