#include "evaluator/command/figures/table_header.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"
#include "search/figures/rate_words.h"

namespace nightshift::evaluator {
namespace {

using Cells = std::vector<std::string_view>;

constexpr std::string_view kBlanks = " \t";

// A cell without blanks, quotes and the marks of bold text.
std::string_view bare(std::string_view cell) {
  constexpr std::string_view kAround = " \t\r\"'*`#";
  const std::size_t begin = cell.find_first_not_of(kAround);
  if (begin == std::string_view::npos) return {};
  return cell.substr(begin, cell.find_last_not_of(kAround) + 1 - begin);
}

Cells split_at(std::string_view line, char sign) {
  Cells cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(sign, begin), line.size());
    cells.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return cells;
}

// At blanks outside of brackets, of which at least `least` stand together.
Cells split_at_blanks(std::string_view line, std::size_t least) {
  Cells cells;
  int depth = 0;
  line = base::trimmed(line);
  for (std::size_t i = 0, begin = 0; i <= line.size();) {
    const std::size_t next = std::min(line.find_first_not_of(kBlanks, i), line.size());
    if (i < line.size() && line[i] == '(') ++depth;
    if (i < line.size() && line[i] == ')') --depth;
    const bool is_blank = depth <= 0 && next > i;
    const bool ends = i == line.size() || (is_blank && (next - i >= least || line[i] == '\t'));
    if (ends) {
      cells.push_back(line.substr(begin, i - begin));
      begin = next;
    }
    i = std::max(next, i + 1);
  }
  return cells;
}

// Without the mark of a comment, "# name time".
Cells without_mark(Cells cells) {
  const bool is_mark = !cells.empty() && (cells.front() == "#" || cells.front() == "//" ||
                                          cells.front() == "%" || cells.front() == ";");
  if (is_mark) cells.erase(cells.begin());
  return cells;
}

// "Best Rate MB/s Avg time" is two heads: words such as "Best" begin one.
Cells split_at_statistics(std::string_view line) {
  Cells cells;
  bool any_statistic = false;
  for (const std::string_view word : without_mark(split_at_blanks(line, 1))) {
    const bool is_statistic =
        std::ranges::any_of(word, base::is_letter) && search::is_of_statistics(word);
    const bool begins = cells.size() < 2 || is_statistic;
    any_statistic = any_statistic || is_statistic;
    if (begins) {
      cells.push_back(word);
    } else {
      const char* const end = word.data() + word.size();
      cells.back() = {cells.back().data(), static_cast<std::size_t>(end - cells.back().data())};
    }
  }
  return any_statistic ? cells : Cells{};
}

bool is_number(std::string_view cell) {
  cell = bare(cell);
  const std::size_t digit = cell.find_first_not_of("+-.");
  return digit != std::string_view::npos && base::is_digit(cell[digit]);
}

bool has_number(std::string_view line) {
  std::size_t begin = 0;
  while (begin < line.size()) {
    const std::size_t end = std::min(line.find_first_of(" \t,;|=:", begin), line.size());
    if (is_number(line.substr(begin, end - begin))) return true;
    begin = end + 1;
  }
  return false;
}

bool is_rule(std::string_view line) {
  return line.find_first_not_of(" \t\r-=+|:*_") == std::string_view::npos;
}

// Without what some programs write in brackets behind each number.
Cells fields_of(std::string_view row) {
  Cells fields = split_at_blanks(row, 1);
  std::erase_if(fields, [](std::string_view field) { return field.starts_with('('); });
  return fields;
}

bool is_indented(std::string_view line) {
  return !line.empty() && kBlanks.find(line.front()) != std::string_view::npos;
}

// The last fields of a row whose header leaves out the first ones.
Cells last_of(const Cells& fields, std::size_t count) {
  return {fields.end() - static_cast<std::ptrdiff_t>(count), fields.end()};
}

// Where a cell ends, or begins, in its line.
std::size_t edge_of(std::string_view line, std::string_view cell, bool is_end) {
  return static_cast<std::size_t>(cell.data() - line.data()) + (is_end ? cell.size() : 0);
}

std::string_view joined(std::string_view first, std::string_view last) {
  return {first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data())};
}

// Heads of several words whose last, or first, stands exactly above the end, or the begin, of its
// number. The first fields, which are no numbers, have a word each.
Cells heads_at_edges(std::string_view line, std::string_view row, const Cells& fields,
                     std::size_t numbers, bool at_end) {
  const Cells words = without_mark(split_at_blanks(line, 1));
  const std::size_t names = fields.size() - numbers;
  if (numbers == 0 || words.size() <= fields.size()) return {};
  Cells heads(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(names));
  std::size_t begin = names;
  for (std::size_t i = names; i < fields.size(); ++i) {
    const std::size_t edge = edge_of(row, fields[i], at_end);
    std::size_t at = begin;
    while (at < words.size() && edge_of(line, words[at], at_end) != edge) ++at;
    if (at == words.size()) return {};
    if (at_end) {
      heads.push_back(joined(words[begin], words[at]));
      begin = at + 1;
      continue;
    }
    if (i > names && at > 0) heads.back() = joined(heads.back(), words[at - 1]);
    heads.push_back(words[at]);
    begin = at + 1;
  }
  if (!at_end) heads.back() = joined(heads.back(), words.back());
  return at_end && begin != words.size() ? Cells{} : heads;
}

// Of a line whose heads blanks divide, which may stand in heads as well; none where it is no header
// of these fields.
Cells heads_of(std::string_view line, std::string_view row, const Cells& fields) {
  const std::vector<Cells> ways = {without_mark(split_at_blanks(line, 2)),
                                   without_mark(split_at_blanks(line, 1)),
                                   split_at_statistics(line)};
  const auto numbers = static_cast<std::size_t>(
      std::find_if_not(fields.rbegin(), fields.rend(), is_number) - fields.rbegin());
  const auto of_count = [&](std::size_t count) {
    const auto fitting = std::ranges::find(ways, count, &Cells::size);
    return fitting != ways.end() ? *fitting : Cells{};
  };
  for (const Cells& heads :
       {of_count(fields.size()), heads_at_edges(line, row, fields, numbers, true),
        heads_at_edges(line, row, fields, numbers, false), of_count(numbers)}) {
    if (!heads.empty()) return heads;
  }
  return is_indented(line) ? ways.front() : Cells{};
}

bool contains(std::string_view text, const char* at) {
  return text.data() <= at && at < text.data() + text.size();
}

}  // namespace

void TableHeader::pass(std::string_view line) {
  constexpr std::size_t kMostLines = 3;
  if (base::trimmed(line).empty() || has_number(line)) {
    has_ended_ = true;
  } else if (!is_rule(line)) {
    if (has_ended_) lines_.clear();
    has_ended_ = false;
    if (lines_.size() == kMostLines) lines_.erase(lines_.begin());
    lines_.push_back(line);
  }
}

TableRow::TableRow(const TableHeader& header, std::string_view row) {
  for (const std::string_view line : header.lines()) {
    if (base::trimmed(line).ends_with(':')) continue;  // a heading
    bool is_split = false;
    for (const char sign : {'|', ',', ';', '\t'}) {
      if (line.find(sign) == std::string_view::npos || row.find(sign) == std::string_view::npos)
        continue;
      is_split = true;
      Columns columns{split_at(line, sign), split_at(row, sign)};
      if (columns.heads.size() == columns.fields.size()) lines_.push_back(std::move(columns));
      break;
    }
    if (is_split) continue;
    const Cells fields = fields_of(row);
    const Cells heads = heads_of(line, row, fields);
    const std::size_t count = std::min(heads.size(), fields.size());
    if (count > 1) lines_.push_back({last_of(heads, count), last_of(fields, count)});
  }
}

std::string_view TableRow::corner_above(const char* number) const {
  for (const Columns& columns : lines_) {
    if (contains(columns.fields.front(), number)) return {};
    const bool is_above = std::ranges::any_of(
        columns.fields, [&](std::string_view field) { return contains(field, number); });
    if (is_above) return bare(columns.heads.front());
  }
  return {};
}

std::vector<std::string_view> TableRow::cells_above(const char* number) const {
  std::vector<std::string_view> cells;
  for (const Columns& columns : lines_) {
    for (std::size_t i = 0; i < columns.fields.size(); ++i) {
      if (contains(columns.fields[i], number)) cells.push_back(bare(columns.heads[i]));
    }
  }
  return cells;
}

}  // namespace nightshift::evaluator
