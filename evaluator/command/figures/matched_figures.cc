#include "evaluator/command/figures/matched_figures.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>

#include "base/text.h"
#include "evaluator/command/figures/figure_error.h"
#include "evaluator/command/figures/label_unit.h"
#include "evaluator/command/figures/whole_figures.h"
#include "search/figures/joined_numbers.h"
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
};

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

// "us" of the 5 in "5, 7, 9 us".
search::UnitBeside unit_of_list(std::string_view behind, const FigureUnit& unit) {
  constexpr std::string_view kBlanks = " \t";
  const auto pass = [&](std::string_view signs) {
    behind.remove_prefix(std::min(behind.find_first_not_of(signs), behind.size()));
  };
  for (;;) {
    pass(kBlanks);
    if (!behind.starts_with(',') && !behind.starts_with(';')) return {};
    behind.remove_prefix(1);
    if (behind.find_first_of(kBlanks) != 0) return {};  // columns
    pass(kBlanks);
    const std::size_t length = search::rest_of_number(behind);
    if (length == 0) return {};
    behind.remove_prefix(length);
    const search::UnitBeside own = search::unit_behind(behind);
    if (own.unit != nullptr) return unit.fits(*own.unit) ? own : search::UnitBeside{};
  }
}

// The unit that stands behind what the first group matched, or before it in what the whole
// expression matched, or elsewhere in its line.
search::UnitBeside unit_of_match(const Match& match, const Line& whole, const FigureUnit& unit) {
  const std::string_view line = whole.text;
  const char* const end = match.first_group.data() + match.first_group.size();
  const std::string_view behind = between(end, line.data() + line.size());
  const auto says_any = [](const search::UnitBeside& beside) {
    return beside.unit != nullptr || !beside.unknown.empty() || !beside.more.empty();
  };
  const std::size_t asked = static_cast<std::size_t>(
      std::max(match.all.data() + match.all.size() - end, std::ptrdiff_t{0}));
  const search::UnitBeside next = search::unit_behind(behind, asked);
  const std::string_view ahead = between(line.data(), match.first_group.data());
  if (says_any(next)) {
    expect_label_agrees(next, ahead, behind, unit);
    return next;
  }
  const search::UnitBeside of_range = unit_of_range(match.first_group, whole);
  if (says_any(of_range)) return of_range;
  const char* const begin = std::min(match.all.data(), match.first_group.data());
  const search::UnitBeside before = search::unit_before(between(begin, match.first_group.data()));
  // Else it is the name of something else.
  const bool is_meant = before.unit == nullptr || unit.fits(*before.unit);
  if (says_any(before) && is_meant) {
    expect_label_agrees(before, ahead, behind, unit);
    return before;
  }
  const search::UnitBeside of_label = label_unit(ahead, behind, unit);
  if (says_any(of_label)) return of_label;
  const search::UnitBeside of_list = unit_of_list(behind, unit);
  if (!says_any(of_list)) unit.expect_no_stray(behind.substr(std::min(asked, behind.size())));
  return of_list;
}

// The number that the first group matched, in the unit that stands in it or is told of it.
double matched_number(const Match& match, const Line& line, FigureUnit& unit,
                      const std::string& name) {
  const std::string text(match.first_group);
  char* stop = nullptr;
  const double number = std::strtod(text.c_str(), &stop);
  if (text.empty() || stop != text.c_str() + text.size()) {
    return figure_of(text, unit, "'" + name + "' matched");
  }
  return unit.converted(number, unit_of_match(match, line, unit));
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

}  // namespace

std::vector<double> matched_figures(const base::BoundedRegex& pattern, std::string_view expression,
                                    FigureUnit& unit, const std::string& name,
                                    std::string_view output) {
  std::vector<double> numbers;
  const WholeFigures whole(expression, name);
  for (std::string_view rest = output; !rest.empty();) {
    const std::string_view all = next_line(rest);
    const std::string_view text = all.substr(0, kRegexLineBytes);
    const std::vector<Match> matches = matches_in(pattern, expression, text);
    if (matches.empty()) continue;
    const Line line{text, search::joined_numbers(text)};
    whole.expect_in(text, matches, line.joined);
    for (const Match& match : matches) {
      if (text.size() < all.size()) expect_before_cut(match, text, name);
      numbers.push_back(matched_number(match, line, unit, name));
    }
  }
  return numbers;
}

}  // namespace nightshift::evaluator
