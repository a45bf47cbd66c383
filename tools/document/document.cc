#include "tools/document/document.h"

#include <algorithm>

#include "base/overloaded.h"

namespace nightshift::tools {

bool is_empty(const Block& block) {
  return std::visit(
      base::Overloaded{[](const Paragraph& p) { return p.text.empty(); },
                       [](const Table& t) { return t.rows.size() < 2; },
                       [](const Verbatim& l) { return l.text.empty(); },
                       [](const Charts& c) { return c.charts.empty(); },
                       [](const Section& s) { return std::ranges::all_of(s.blocks, is_empty); },
                       [](const auto& rows) { return rows.rows.empty(); }},
      block);
}

std::string heading_of(const std::string& title, const std::string& verdict) {
  if (title.empty() || verdict.empty()) return title + verdict;
  return title + (title.ends_with('?') ? " " : ": ") + verdict;
}

Rows with_heading(std::vector<std::string> heading, Rows rows) {
  if (!rows.empty()) rows.insert(rows.begin(), std::move(heading));
  return rows;
}

}  // namespace nightshift::tools
