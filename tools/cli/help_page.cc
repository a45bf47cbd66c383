#include "tools/cli/help_page.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

constexpr std::size_t kFullLine = 80;   // of a paragraph that goes on in the next line
constexpr std::size_t kLeastRoom = 24;  // beside an option; the next line is used where it is less
constexpr std::size_t kStep = 4;        // further from the margin

std::vector<std::string> lines_of_page(std::string_view page) {
  std::vector<std::string> lines;
  while (!page.empty()) {
    const std::size_t end = std::min(page.find('\n'), page.size());
    lines.emplace_back(page.substr(0, end));
    page.remove_prefix(std::min(end + 1, page.size()));
  }
  return lines;
}

std::size_t margin_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

bool is_example(std::string_view line) { return line.starts_with("  nightshift "); }

// Where the last column of a row begins, which two blanks separate; its margin where it has none.
std::size_t column_of(std::string_view line) {
  const std::size_t gap = line.rfind("  ");
  return gap == std::string_view::npos ? 0 : gap + 2;
}

// Whether `next` belongs to the text that `line` ends, which begins in `column`.
bool goes_on(std::string_view line, std::string_view next, std::size_t column) {
  if (next.empty() || line.empty()) return false;
  if (column > 0) return margin_of(next) == column;
  return margin_of(next) == 0 && width_of(line) >= kFullLine && !next.starts_with("Usage:");
}

// Broken at blanks behind `column`, where the further lines begin.
std::string broken(std::string line, std::size_t column, std::size_t columns) {
  if (column + kLeastRoom > columns) column = margin_of(line) + kStep;
  std::string text;
  for (std::size_t from = column; width_of(line) > columns;) {
    const std::size_t fits = fit(line, columns + 4).size() - 3;  // bytes of one character more
    std::size_t at = line.rfind(' ', fits - 1);
    if (at == std::string::npos || at < from) at = line.find(' ', std::max(fits, from));
    if (at == std::string::npos) break;
    text += line.substr(0, at) + "\n";
    line = std::string(column, ' ') +
           line.substr(std::min(line.find_first_not_of(' ', at), line.size()));
    from = column + 1;
  }
  return text + line + "\n";
}

}  // namespace

std::string help_page(std::string_view page, std::size_t columns) {
  const std::vector<std::string> lines = lines_of_page(page);
  const auto fits = [&](const std::string& line) {
    return width_of(line) <= columns || is_example(line);
  };
  if (std::ranges::all_of(lines, fits)) return std::string(page);
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string whole = lines[i];
    if (is_example(whole)) {
      text += whole + "\n";
      continue;
    }
    const std::size_t column = column_of(whole);
    while (i + 1 < lines.size() && goes_on(lines[i], lines[i + 1], column)) {
      ++i;
      whole += " " + lines[i].substr(margin_of(lines[i]));
    }
    text += broken(std::move(whole), column, columns);
  }
  if (!page.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace nightshift::tools
