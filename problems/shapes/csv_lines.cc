#include "problems/shapes/csv_lines.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace nightshift::problems {
namespace {

constexpr std::string_view kSeparators = ",;\t";

}  // namespace

std::optional<std::vector<std::string>> cells_of(std::string_view line, char separator) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (c == '"' && (quoted || base::trimmed(cells.back()).empty())) {
      quoted = !quoted;
    } else if (c == separator && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  if (quoted) return std::nullopt;
  for (std::string& cell : cells) cell = std::string(base::trimmed(cell));
  return cells;
}

char separator_of(std::string_view header, const KnownColumns& known) {
  const auto worth = [&](char separator) -> std::pair<std::size_t, std::size_t> {
    const auto cells = cells_of(header, separator);
    if (!cells) return {};
    return {known(*cells), cells->size()};
  };
  return *std::ranges::max_element(kSeparators, {}, worth);
}

std::optional<char> told_separator(std::string_view line) {
  constexpr std::string_view kWord = "sep=";
  if (!line.starts_with(kWord) || line.size() != kWord.size() + 1) return std::nullopt;
  const char told = line.back();
  return kSeparators.find(told) == std::string_view::npos ? std::nullopt : std::optional(told);
}

bool has_thousands(std::string_view number, char mark) {
  number = base::trimmed(number);
  constexpr std::size_t kGroup = 3;
  std::size_t digits = 0, groups = 0;
  for (const char c : number) {
    if (c == mark && digits > 0 && digits <= kGroup && (groups == 0 || digits == kGroup)) {
      ++groups;
      digits = 0;
    } else if (base::is_digit(c)) {
      ++digits;
    } else {
      return false;
    }
  }
  return groups > 0 && digits == kGroup;
}

std::string hint_for_number(std::string_view number) {
  const std::size_t comma = number.find(',');
  if (comma == std::string_view::npos && !has_thousands(number, '.')) return "";
  return "; write numbers without marks between thousands, and a decimal with a point";
}

}  // namespace nightshift::problems
