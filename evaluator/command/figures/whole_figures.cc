#include "evaluator/command/figures/whole_figures.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"
#include "evaluator/command/figures/figure_error.h"
#include "evaluator/command/figures/figure_label.h"
#include "search/figures/joined_numbers.h"
#include "search/figures/number_text.h"
#include "search/figures/rate_words.h"

namespace nightshift::evaluator {
namespace {

using Match = base::BoundedRegex::Match;
using search::JoinedNumbers;
using search::Joint;

// Where the group that begins at `begin` ends: behind its bracket.
std::size_t group_end(std::string_view expression, std::size_t begin) {
  bool in_class = false;
  std::size_t depth = 0;
  for (std::size_t i = begin; i < expression.size(); ++i) {
    const char c = expression[i];
    if (c == '\\') {
      ++i;
    } else if (in_class) {
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')' && --depth == 0) {
      return i + 1;
    }
  }
  return expression.size();
}

// Where the first group begins; the expression's size where it has none.
std::size_t group_begin(std::string_view expression) {
  bool in_class = false;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (c == '\\') {
      ++i;
    } else if (in_class) {
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
    } else if (c == '(') {
      const std::string_view rest = expression.substr(i + 1);
      const bool is_named = (rest.starts_with("?<") || rest.starts_with("?P<")) &&
                            !rest.starts_with("?<=") && !rest.starts_with("?<!");
      if (!rest.starts_with('?') || is_named) return i;
    }
  }
  return expression.size();
}

// Whether an expression that ends so has `sign`: "-" and "\.", but not ".*" of "*" and ".".
bool ends_with_sign(std::string_view expression, std::string_view sign) {
  if (!expression.ends_with(sign)) return false;
  constexpr std::string_view kOperators = ".*+^|";
  const bool is_operator =
      sign.size() == 1 && kOperators.find(sign.front()) != std::string_view::npos;
  return !is_operator || expression.substr(0, expression.size() - 1).ends_with('\\');
}

// Whether the expression has what of a number stands directly before its group: "-(", "\.(".
bool asks_for(std::string_view before, std::string_view sign) {
  if (sign.size() > 1 && (sign.back() & 0x80) != 0) return before.ends_with(sign);
  return ends_with_sign(before, sign.substr(sign.size() - 1));
}

constexpr std::string_view kAnyBlanks[] = {"\\s*", "\\s+", "\\s", "\\t", " *", " +", " ?", " "};

// The first of them that `is_there` finds; empty where none is.
template <class Check>
std::string_view any_blank(const Check& is_there) {
  const auto* const found = std::ranges::find_if(kAnyBlanks, is_there);
  return found != std::end(kAnyBlanks) ? *found : std::string_view();
}

std::string_view without_blanks_before(std::string_view expression) {
  const auto begins = [&](std::string_view blank) { return expression.starts_with(blank); };
  while (const std::size_t length = any_blank(begins).size()) expression.remove_prefix(length);
  return expression;
}
std::string_view without_blanks_behind(std::string_view expression) {
  const auto ends = [&](std::string_view blank) { return expression.ends_with(blank); };
  while (const std::size_t length = any_blank(ends).size()) expression.remove_suffix(length);
  return expression;
}

bool has_digits(std::string_view expression) {
  return expression.find("[0-9") != std::string_view::npos ||
         expression.find("\\d") != std::string_view::npos;
}

bool asks_before(std::string_view before, const JoinedNumbers::Number& last) {
  const std::string_view rest = without_blanks_behind(before);
  if (base::trimmed(last.sign).empty()) {  // of thousands
    return rest.size() < before.size() && has_digits(rest);
  }
  if (rest.ends_with(']')) {
    const std::size_t begin = rest.rfind('[');
    return begin != std::string_view::npos &&
           rest.substr(begin).find(last.sign) != std::string_view::npos &&
           !has_digits(rest.substr(begin));
  }
  return ends_with_sign(rest, last.sign);
}

bool begins_with_sign(std::string_view expression, std::string_view sign) {
  if (expression.starts_with('[')) {
    return expression.substr(0, expression.find(']')).find(sign) != std::string_view::npos;
  }
  return expression.starts_with(sign) ||
         (expression.starts_with('\\') && expression.substr(1).starts_with(sign));
}

bool asks_behind(std::string_view behind, const JoinedNumbers::Number& number) {
  if (number.joint == Joint::kPart) return has_digits(behind);
  std::string_view rest = without_blanks_before(behind);
  if (base::trimmed(number.sign).empty()) return rest.size() < behind.size() && has_digits(rest);
  if (begins_with_sign(rest, number.sign)) return true;
  const auto end_of_unit = std::ranges::find_if_not(rest, base::is_letter);
  rest.remove_prefix(static_cast<std::size_t>(end_of_unit - rest.begin()));
  return begins_with_sign(without_blanks_before(rest), number.sign);
}

// Whether numbers up to the one at `at` are parts of a time that are not 0.
bool is_time_before(std::string_view line, const JoinedNumbers& joined, std::size_t at) {
  const std::vector<JoinedNumbers::Number>& numbers = joined.numbers;
  const auto is_zero = [](std::string_view text) {
    return text.find_first_not_of("0.") == std::string_view::npos;
  };
  const auto is_of_time = [](Joint joint) {
    return joint == Joint::kPart || joint == Joint::kClock;
  };
  if (!is_of_time(numbers[at].joint)) return false;
  if (numbers[at].joint == Joint::kClock && !search::is_clock(joined)) {
    const auto begin = static_cast<std::size_t>(joined.all.data() - line.data());
    const std::string_view label = figure_label(line.substr(0, begin));
    if (search::tendency_of(label) != search::Tendency::kCost) return false;
  }
  for (std::size_t i = at + 1; i-- > 0 && is_of_time(numbers[i].joint);) {
    if (!is_zero(numbers[i].text)) return true;
  }
  return false;
}

// "1/2/3 ms" are three figures, as "min/avg/max" before them says or not.
bool is_list_of_slashes(const JoinedNumbers& joined) {
  const std::vector<JoinedNumbers::Number>& numbers = joined.numbers;
  return numbers.size() > 2 &&
         std::all_of(numbers.begin(), numbers.end() - 1,
                     [](const auto& number) { return number.joint == Joint::kFraction; });
}

// Whether it is a figure of its own as well.
bool is_matched(const JoinedNumbers::Number& number, const std::vector<Match>& matches) {
  return std::ranges::any_of(
      matches, [&](const Match& match) { return overlap(match.first_group, number.text); });
}

std::string reason(Joint joint, bool is_first) {
  switch (joint) {
    case Joint::kThousands:
      return "which is part of a number with its thousands set apart: print it without, or have "
             "the expression match the sign where it stands between two numbers";
    case Joint::kDecimal:
      return "which is part of a number with a decimal comma: print a point, or have the "
             "expression match the comma where it stands between two numbers";
    case Joint::kClock:
    case Joint::kPart:
      return std::string("which is the ") + (is_first ? "first" : "last") +
             " part of a time: print it in one unit, or have the group match all of it";
    case Joint::kRange:
    case Joint::kProduct:
    case Joint::kFraction:
    case Joint::kSum:
      return "where the figure goes on: print one number, or have the expression match the sign "
             "between the two where this one alone is meant";
  }
  return {};
}

}  // namespace

bool overlap(std::string_view one, std::string_view other) {
  return one.data() < other.data() + other.size() && other.data() < one.data() + one.size();
}

WholeFigures::WholeFigures(std::string_view expression, const std::string& name) : name_(name) {
  const std::size_t begin = group_begin(expression);
  before_ = expression.substr(0, begin);
  behind_ = expression.substr(group_end(expression, begin));
}

void WholeFigures::expect_beginning(std::string_view line, std::string_view number) const {
  constexpr std::string_view kBegin = "0123456789.";
  if (number.empty() || kBegin.find(number.front()) == std::string_view::npos) return;
  const auto length = static_cast<std::size_t>(number.data() - line.data());
  const std::string_view before = search::number_before(line.substr(0, length));
  if (before.empty() || asks_for(before_, before)) return;
  const bool is_sign = before == "-" || (before.front() & 0x80) != 0;
  throw FigureError("'" + name_ + "' matched '" + std::string(number) + "' of '" +
                    std::string(before) + std::string(number) +
                    (is_sign ? "', without its minus: have the group take it, (-?[0-9.]+)"
                             : "', where the number has begun before: have the group take all of "
                               "it, as .*?([0-9.]+) does where .*([0-9.]+) takes the last digit"));
}

void WholeFigures::refuse(const JoinedNumbers& joined, std::string_view group, Joint joint,
                          bool is_first) const {
  throw FigureError("'" + name_ + "' matched " + base::in_quotes(group) + " of " +
                    base::in_quotes(joined.all) + ", " + reason(joint, is_first));
}

void WholeFigures::expect_alone(std::string_view line, const JoinedNumbers& joined,
                                std::string_view group, const Matches& matches) const {
  const std::vector<JoinedNumbers::Number>& numbers = joined.numbers;
  if (is_list_of_slashes(joined)) return;
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    const bool has_this = overlap(group, numbers[i].text);
    const bool has_next = overlap(group, numbers[i + 1].text);
    if (has_this == has_next) continue;
    if (joined.may_be_columns && is_matched(numbers[has_this ? i + 1 : i], matches)) continue;
    const bool was_asked =
        has_this ? asks_behind(behind_, numbers[i])
                 : asks_before(before_, numbers[i]) && !is_time_before(line, joined, i);
    if (!was_asked) refuse(joined, group, numbers[i].joint, has_this);
  }
}

void WholeFigures::expect_in(std::string_view line, const Matches& matches,
                             const std::vector<JoinedNumbers>& joined) const {
  for (const Match& match : matches) {
    const std::string_view group = match.first_group;
    if (group.data() == nullptr) continue;
    expect_beginning(line, group);
    const JoinedNumbers* one = joined_with(group, joined);
    for (; one != nullptr && overlap(one->all, group); ++one) {
      expect_alone(line, *one, group, matches);
      if (one == &joined.back()) break;
    }
  }
}

const JoinedNumbers* joined_with(std::string_view part, const std::vector<JoinedNumbers>& joined) {
  const auto found = std::ranges::partition_point(joined, [&](const JoinedNumbers& one) {
    return one.all.data() + one.all.size() <= part.data();
  });
  return found != joined.end() && overlap(found->all, part) ? &*found : nullptr;
}

}  // namespace nightshift::evaluator
