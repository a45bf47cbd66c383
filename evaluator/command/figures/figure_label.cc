#include "evaluator/command/figures/figure_label.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/text.h"
#include "evaluator/command/figures/label_unit.h"
#include "search/figures/number_text.h"
#include "search/figures/rate_words.h"
#include "search/figures/scaled_unit.h"
#include "search/figures/unit_words.h"

namespace nightshift::evaluator {
namespace {

using search::Tendency;
using search::UnitBeside;

bool is_of_name(char c) { return base::is_letter(c) || base::is_digit(c) || c == '_'; }

// How far a number at `begin` goes, with a unit behind it. Where `text` is before a sign, "fps" at
// its end is the name of what comes: "frame= 100 fps=".
std::size_t end_of_number(std::string_view text, std::size_t begin, bool is_signed) {
  std::size_t end = begin + std::max<std::size_t>(1, search::rest_of_number(text.substr(begin)));
  std::size_t word = end;
  while (word < text.size() && text[word] == ' ') ++word;
  std::size_t behind = word;
  while (behind < text.size() && search::is_of_unit_word(text[behind])) ++behind;
  const std::string_view unit = text.substr(word, behind - word);
  const bool is_name = is_signed && behind == text.size() && unit.find('/') == unit.npos;
  return !is_name && search::looks_like_unit(unit) ? behind : end;
}

// Where what `text` ends with begins: behind the last comma or bar, and, where `ends_at_numbers`,
// behind the last number. Brackets are passed.
std::size_t begin_of_label(std::string_view text, bool ends_at_numbers, bool is_signed) {
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[') ++depth;
    if ((c == ')' || c == ']') && depth > 0) --depth;
    if (depth > 0) continue;
    const bool is_number = base::is_digit(c) && (i == 0 || !is_of_name(text[i - 1]));
    if (std::string_view(",;|\t").find(c) != std::string_view::npos) begin = i + 1;
    if (!is_number) continue;
    i = end_of_number(text, i, is_signed) - 1;
    if (ends_at_numbers) begin = i + 1;
  }
  return begin;
}

std::string_view without_signs(std::string_view text) {
  constexpr std::string_view kSigns = " \t\r\":=|,;'`*~<>-+([{#";
  return text.substr(0, text.find_last_not_of(kSigns) + 1);
}

std::string_view last_word(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_of_name(text[begin - 1])) --begin;
  return text.substr(begin);
}

// The first field of a row, "test_rate" or "BM_rate/8".
bool is_name_of_test(std::string_view label) {
  label = base::trimmed(label);
  return label.starts_with("test_") || label.starts_with("BM_");
}

// A heading is a few words, and not the name of a test whose times may follow.
bool is_heading(std::string_view line) {
  constexpr std::ptrdiff_t kMostBlanks = 3;
  line = base::trimmed(line);
  const std::string last = base::in_small_letters(last_word(without_signs(line)));
  const bool is_of_test = last == "benchmark" || last == "benchmarks" || last == "test" ||
                          last == "tests" || last == "bench";
  return std::ranges::count(line, ' ') <= kMostBlanks && !is_of_test;
}

// The heading that the number stands under; empty where it has a name of its own.
std::string_view heading_of(const PlacedNumber& number) {
  const bool has_name = !search::is_of_statistics(figure_label(number.before));
  if (has_name || number.header.lines().empty()) return {};
  const std::string_view line = number.header.lines().back();
  return is_heading(line) ? line : std::string_view();
}

}  // namespace

namespace {

// Of figures of one list, "min 3 max 5 avg ", at most so many are passed.
constexpr int kMostOfAList = 8;

// `text` without the number and its unit that it ends with.
std::string_view without_last_number(std::string_view text) {
  std::size_t end = without_signs(text).size();
  const auto is_of_number = [&](std::size_t i) {
    return base::is_digit(text[i]) || text[i] == '.';
  };
  while (end > 0 && (search::is_of_unit_word(text[end - 1]) || text[end - 1] == ' ')) --end;
  while (end > 0 && is_of_number(end - 1)) --end;
  return text.substr(0, end);
}

std::string_view label_of(std::string_view before, int passed) {
  const std::string_view text = without_signs(before);
  const bool is_signed = before.substr(text.size()).find_first_of(":=") != std::string_view::npos;
  const std::string_view label = text.substr(begin_of_label(text, true, is_signed));
  if (search::tendency_of(label) != Tendency::kNone) return label;
  const std::string_view ahead = text.substr(0, text.size() - label.size());
  // "throughput with 8 threads: ".
  const std::string_view longer = text.substr(begin_of_label(text, false, is_signed));
  if (is_signed && longer.size() > label.size() &&
      longer.find_first_of(":=") == std::string_view::npos)
    return longer;
  const bool is_one_of_list = !base::trimmed(label).empty() && search::is_of_statistics(label);
  if (!is_one_of_list || ahead.empty() || passed == kMostOfAList) return label;
  // "throughput: min 3 max ".
  const std::string_view other = label_of(without_last_number(ahead), passed + 1);
  const bool is_list = !other.empty() && search::is_of_statistics(last_word(other));
  return is_list ? other : label;
}

}  // namespace

std::string_view figure_label(std::string_view before) { return label_of(before, 0); }

void expect_no_rate(const PlacedNumber& number, const FigureUnit& wanted) {
  if (wanted.takes_rates()) return;
  const std::string_view behind = number.behind.substr(0, number.behind.find('\n'));
  if (search::is_rate_behind(behind)) {
    const std::string_view words = base::trimmed(behind);
    wanted.refuse_rate(words.substr(0, words.find_first_of(",;:=|()[]0123456789")));
  }
  const auto decides = [&](std::string_view words) {
    const Tendency tendency = search::tendency_of(words);
    wanted.expect_taken(tendency, words);
    return tendency != Tendency::kNone;
  };
  const std::string_view label = figure_label(number.before);
  if (!is_name_of_test(label) && decides(label)) return;
  const auto cells = number.row.cells_above(number.behind.data() - 1);
  if (std::ranges::any_of(cells, decides)) return;
  // Above several figures "Performance" is a title.
  const std::string_view heading = cells.empty() ? heading_of(number) : std::string_view();
  if (search::tendency_of(heading) != Tendency::kScore) decides(heading);
}

namespace {

// "us" of a column that is called so, or of a line of units below the heads. Of an objective without
// a unit it may be the name of something else.
UnitBeside unit_of_cell(std::string_view cell, const FigureUnit& wanted) {
  const UnitBeside unit = UnitBeside::of_word(cell);
  const bool is_meant = wanted.is_given() && unit.unit != nullptr && cell.size() > 1 &&
                        base::in_small_letters(cell) != "min" && wanted.fits(*unit.unit);
  return is_meant ? unit : UnitBeside{};
}

}  // namespace

UnitBeside unit_above(const PlacedNumber& number, const FigureUnit& wanted) {
  const std::vector<std::string_view> heads = number.row.cells_above(number.behind.data() - 1);
  std::vector<std::string_view> labels = heads;
  if (labels.empty()) labels.push_back(heading_of(number));
  // "clat (usec): min=10, avg=".
  const std::string_view own = figure_label(number.before);
  labels.insert(labels.begin(), own.substr(0, own.rfind(')') + 1));
  for (const std::string_view label : labels) {
    if (label.empty()) continue;
    if (const UnitBeside bare = unit_of_cell(label, wanted); bare.unit != nullptr) return bare;
    UnitBeside unit =
        label_unit(std::string(without_signs(label)) + ": ", std::string_view(), wanted);
    if (unit.unit != nullptr) return unit;
    if (search::scaling_of(unit.unknown) == search::Scaling::kNone) continue;
    unit.unknown = label.substr(label.find(unit.unknown), unit.unknown.size());
    return unit;
  }
  // Of "Name (time in us)" above the first column, what tells of the others that are times.
  const bool is_statistic = std::ranges::any_of(heads, [](std::string_view head) {
    return std::ranges::any_of(head, base::is_letter) && search::is_of_statistics(head);
  });
  const std::string_view corner = number.row.corner_above(number.behind.data() - 1);
  if (!is_statistic || !corner.ends_with(')')) return {};
  return label_unit(std::string(corner) + ": ", std::string_view(), wanted);
}

}  // namespace nightshift::evaluator
