#include "evaluator/command/figures/matched_figures.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>

#include "base/text.h"
#include "evaluator/command/figures/figure_error.h"
#include "evaluator/command/figures/figure_label.h"
#include "evaluator/command/figures/label_unit.h"
#include "evaluator/command/figures/number_list.h"
#include "evaluator/command/figures/table_header.h"
#include "evaluator/command/figures/unit_lines.h"
#include "evaluator/command/figures/whole_figures.h"
#include "search/figures/counted_word.h"
#include "search/figures/joined_numbers.h"
#include "search/figures/number_text.h"
#include "search/figures/rate_words.h"
#include "search/unit_beside.h"

namespace nightshift::evaluator {
namespace {

using Match = base::BoundedRegex::Match;

std::string_view between(const char* from, const char* to) {
  return std::string_view(from, static_cast<std::size_t>(to - from));
}

// The numbers of a line: where they stand together, their unit stands behind the last.
struct Line {
  std::string_view text;
  std::vector<search::JoinedNumbers> joined;
  const TableHeader& header;
  const TableRow row;
  const std::vector<Match>& figures;
  std::string_view below;  // of the output
};

// Whether what stands behind a number leaves open whether it is a rate: no time, and no unit of a
// rate, which the objective has or has not.
bool may_be_of_rate(const search::UnitBeside& beside) {
  if (beside.unit == nullptr) return beside.unknown.empty() && beside.more.empty();
  return beside.unit->dimension == search::Dimension::kBytes;
}

// "s" of "requests/s: " and "tokens_s=" is what a rate is over.
bool is_of_rate(const search::UnitBeside& unit, std::string_view ahead) {
  return unit.unit != nullptr && unit.unit->dimension == search::Dimension::kTime &&
         search::tendency_of(figure_label(ahead)) == search::Tendency::kRate;
}

// "ns" of the 9 in "9 to 11 ns".
search::UnitBeside unit_of_range(std::string_view number, const Line& line) {
  const search::JoinedNumbers* const range = joined_with(number, line.joined);
  if (range == nullptr) return {};
  const auto shares_unit = [](const search::JoinedNumbers::Number& one) {
    return one.sign.empty() || one.joint == search::Joint::kRange ||
           one.joint == search::Joint::kSum || one.joint == search::Joint::kFraction;
  };
  if (!std::ranges::all_of(range->numbers, shares_unit)) return {};
  const std::string_view last = range->numbers.back().text;
  return search::unit_behind(
      between(last.data() + last.size(), line.text.data() + line.text.size()));
}

// How much of `text` is a date or a time of the day, or both: "2024-01-28", "12:30:05.123",
// "2024-01-28T12:30:05Z".
std::size_t stamp_length(std::string_view text) {
  constexpr std::array<std::string_view, 3> kDates = {"0000-00-00", "0000/00/00", "00.00.0000"};
  constexpr std::string_view kTime = "00:00:00";
  const auto fits = [&](std::string_view form, std::size_t from) {
    if (text.size() < from + form.size()) return false;
    for (std::size_t i = 0; i < form.size(); ++i) {
      const char c = text[from + i];
      if (form[i] == '0' ? !base::is_digit(c) : c != form[i]) return false;
    }
    return from + form.size() == text.size() || !base::is_digit(text[from + form.size()]);
  };
  const auto* const date =
      std::ranges::find_if(kDates, [&](std::string_view form) { return fits(form, 0); });
  const std::size_t day = date == kDates.end() ? 0 : date->size();
  const bool has_sign = day > 0 && day < text.size() && (text[day] == 'T' || text[day] == ' ');
  if ((day > 0 && !has_sign) || !fits(kTime, day + (has_sign ? 1 : 0))) return day;
  std::size_t end = day + (has_sign ? 1 : 0) + kTime.size();
  const bool has_fraction = end + 1 < text.size() && (text[end] == '.' || text[end] == ',') &&
                            base::is_digit(text[end + 1]);
  if (has_fraction) ++end;
  while (has_fraction && end < text.size() && base::is_digit(text[end])) ++end;
  return end + (end < text.size() && text[end] == 'Z' ? 1 : 0);
}

// `line` behind when it was printed, which is no figure.
std::string_view without_stamp(std::string_view line) {
  constexpr std::string_view kBefore = " \t[(";
  const std::size_t begin = std::min(line.find_first_not_of(kBefore), line.size());
  const std::size_t length = stamp_length(line.substr(begin));
  return length > 0 ? line.substr(begin + length) : line;
}

// Whether a line has numbers that are no figures, no word, and no heads above it.
bool has_numbers_alone(const Line& line) {
  bool has_others = false;
  const auto is_figure = [&](std::string_view number) {
    return std::ranges::any_of(
        line.figures, [&](const Match& match) { return overlap(match.first_group, number); });
  };
  for (std::string_view rest = without_stamp(line.text); !rest.empty();) {
    const std::size_t before = rest.size();
    if (search::takes_number(rest)) {
      const std::string_view its_last(rest.data() - 1, 1);
      const auto* const joined = joined_with(its_last, line.joined);  // "1,503" is one
      has_others = has_others || !is_figure(joined != nullptr ? joined->all : its_last);
      continue;
    }
    if (rest.empty()) break;
    const bool is_sign = rest.front() == '=' || rest.front() == ':';  // of a name, or of a figure
    if (is_sign || base::is_letter(rest.front()) || (rest.front() & 0x80) != 0) return false;
    if (rest.size() == before) rest.remove_prefix(1);
  }
  return has_others && line.header.lines().empty();
}

bool says_any(const search::UnitBeside& beside) {
  return beside.unit != nullptr || !beside.unknown.empty() || !beside.more.empty();
}

// Of a number whose own field names none: of its column, of numbers behind it, or of other lines.
search::UnitBeside unit_around(const PlacedNumber& placed, const Line& line, UnitLines& lines,
                               const FigureUnit& unit) {
  if (const auto above = unit_above(placed, unit); says_any(above)) return above;
  if (const auto of_row = unit_of_row(placed.behind, unit); says_any(of_row)) return of_row;
  return lines.unit_of(placed.before, line.below, unit);
}

// The unit that stands behind what the first group matched, or before it in what the whole
// expression matched, or elsewhere in its line.
search::UnitBeside unit_of_match(const Match& match, const Line& whole, UnitLines& lines,
                                 const FigureUnit& unit) {
  const std::string_view line = whole.text;
  const char* const end = match.first_group.data() + match.first_group.size();
  const std::string_view behind = between(end, line.data() + line.size());
  const std::size_t asked = static_cast<std::size_t>(
      std::max(match.all.data() + match.all.size() - end, std::ptrdiff_t{0}));
  const search::UnitBeside next = search::unit_behind(behind, asked);
  const std::string_view ahead = between(line.data(), match.first_group.data());
  const PlacedNumber placed{ahead, behind, whole.header, whole.row};
  if (may_be_of_rate(next)) expect_no_rate(placed, unit);
  if (says_any(next)) {
    expect_label_agrees(next, ahead, behind, unit);
    return next;
  }
  const search::UnitBeside of_range = unit_of_range(match.first_group, whole);
  if (says_any(of_range)) return of_range;
  const char* const begin = std::min(match.all.data(), match.first_group.data());
  const search::UnitBeside before = search::unit_before(between(begin, match.first_group.data()));
  // Else it is the name of something else.
  const bool is_meant =
      before.unit == nullptr || (unit.fits(*before.unit) && !is_of_rate(before, ahead));
  if (says_any(before) && is_meant) {
    expect_label_agrees(before, ahead, behind, unit);
    return before;
  }
  const search::UnitBeside of_label = label_unit(ahead, behind, unit);
  if (says_any(of_label) && !is_of_rate(of_label, ahead)) return of_label;
  const search::UnitBeside of_list = unit_of_list(behind, unit);
  if (says_any(of_list)) return of_list;
  const search::UnitBeside around = unit_around(placed, whole, lines, unit);
  if (says_any(around)) return around;
  unit.expect_no_stray(behind.substr(std::min(asked, behind.size())));
  if (has_numbers_alone(whole)) unit.expect_told(line);
  const std::string_view counted = search::counted_word(behind);
  const std::string_view over = search::over_time(figure_label(ahead));
  return {.counted = search::over_time(counted).empty() && !over.empty() ? over : counted};
}

// "0" and "3" of "0x1p3" are no numbers.
void expect_decimal(std::string_view line, const std::vector<Match>& matches,
                    const std::string& name) {
  const auto is_of_word = [](char c) { return base::is_letter(c) || base::is_digit(c); };
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (i > 0 && is_of_word(line[i - 1])) continue;
    const std::string_view number = line.substr(i, search::hexadecimal_length(line.substr(i)));
    if (number.empty()) continue;
    const auto match = std::ranges::find_if(
        matches, [&](const Match& one) { return overlap(one.first_group, number); });
    if (match == matches.end()) continue;
    throw FigureError("'" + name + "' matched " + base::in_quotes(match->first_group) + " of " +
                      base::in_quotes(number) +
                      ", which is a hexadecimal number: print a decimal one");
  }
}

// The number that the first group matched, in the unit that stands in it or is told of it.
double matched_number(const Match& match, const Line& line, UnitLines& lines, FigureUnit& unit,
                      const std::string& name) {
  const std::string text(match.first_group);
  char* stop = nullptr;
  const double number = std::strtod(text.c_str(), &stop);
  if (text.empty() || stop != text.c_str() + text.size()) {
    return figure_of(text, unit, "'" + name + "' matched");
  }
  return unit.converted(number, unit_of_match(match, line, lines, unit));
}

// Refuses a match that the end of what is looked at may have cut off.
void expect_before_cut(const Match& match, std::string_view line, const std::string& name) {
  constexpr std::ptrdiff_t kLongestFigure = 64;
  const char* const end = match.first_group.data() + match.first_group.size();
  if (match.first_group.data() == nullptr || line.data() + line.size() - end >= kLongestFigure)
    return;
  throw FigureError("'" + name + "' matched " + base::in_quotes(match.first_group) + " behind " +
                    std::to_string(kRegexLineBytes - kLongestFigure) +
                    " bytes of a line, where lines are no longer read: print shorter lines");
}

// The next line of `rest`, without its end.
std::string_view next_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

std::vector<Match> matches_in(const base::BoundedRegex& pattern, std::string_view expression,
                              std::string_view line) {
  try {
    return pattern.matches_in(line);
  } catch (const std::invalid_argument& e) {
    throw FigureError("the expression " + base::in_quotes(expression) + " " + e.what());
  }
}

std::vector<double> figures_in(const base::BoundedRegex& pattern, std::string_view expression,
                               FigureUnit& unit, const std::string& name, std::string_view output) {
  std::vector<double> numbers;
  const WholeFigures whole(expression, name);
  TableHeader header;
  UnitLines lines;
  for (std::string_view rest = output; !rest.empty();) {
    const std::string_view all = next_line(rest);
    const std::string_view text = all.substr(0, kRegexLineBytes);
    const std::vector<Match> matches = matches_in(pattern, expression, text);
    if (matches.empty()) {
      header.pass(text);
      lines.pass(text, unit);
      continue;
    }
    const Line line{text, search::joined_numbers(text), header, TableRow(header, text), matches,
                    rest};
    expect_decimal(text, matches, name);
    whole.expect_in(text, matches, line.joined);
    for (const Match& match : matches) {
      if (text.size() < all.size()) expect_before_cut(match, text, name);
      numbers.push_back(matched_number(match, line, lines, unit, name));
    }
    header.pass(text);
    lines.pass(text, unit);
  }
  return numbers;
}

}  // namespace

std::vector<double> matched_figures(const base::BoundedRegex& pattern, std::string_view expression,
                                    FigureUnit& unit, const std::string& name,
                                    std::string_view output) {
  if (output.find('\x1b') == std::string_view::npos) {
    return figures_in(pattern, expression, unit, name, output);
  }
  std::vector<double> numbers =
      figures_in(pattern, expression, unit, name, search::without_colours(output));
  return numbers.empty() ? figures_in(pattern, expression, unit, name, output) : numbers;
}

}  // namespace nightshift::evaluator
