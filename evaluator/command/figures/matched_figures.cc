#include "evaluator/command/figures/matched_figures.h"

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "evaluator/command/figures/figure_error.h"
#include "evaluator/command/figures/label_unit.h"
#include "search/unit_beside.h"

namespace nightshift::evaluator {
namespace {

// "1" of "1,503.78", or "503.78": what is matched is part of a number whose thousands are set
// apart. Not where the expression asks for the sign itself, which then stands between two numbers.
bool is_part_of_thousands(const std::cmatch& match) {
  static constexpr std::string_view kSigns = ",'_";
  const auto group = [](const char* from, const char* end) {
    return end - from >= 4 && kSigns.find(*from) != std::string_view::npos &&
           std::all_of(from + 1, from + 4, base::is_digit) &&
           (end - from == 4 || !base::is_digit(from[4]));
  };
  const char *begin = match[1].first, *end = match[1].second;
  const bool is_head = std::all_of(begin, end, base::is_digit) && end - begin <= 3;
  if (is_head && match[0].second == end && group(end, match.suffix().second)) return true;
  const char* const before = match.prefix().first;
  return match[0].first == begin && begin - before >= 2 && base::is_digit(begin[-2]) &&
         group(begin - 1, end);
}

// "2.5" of "1m2.5s".
bool is_last_part_of_time(const std::cmatch& match) {
  const char* const number = match[1].first;
  const char* const least = std::min(match.prefix().first, match[0].first);
  if (number - least < 2 || !base::is_digit(number[-2])) return false;
  return (number[-1] == 'm' || number[-1] == 'h') &&
         (*match[1].second == 's' || *match[1].second == 'm');
}

std::string_view between(const char* from, const char* to) {
  return std::string_view(from, static_cast<std::size_t>(to - from));
}

// The expression up to its first group.
std::string_view before_group(std::string_view expression) {
  bool in_class = false;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (c == '\\') {
      ++i;
    } else if (in_class) {
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
    } else if (c == '(' && i + 1 < expression.size() && expression[i + 1] != '?') {
      return expression.substr(0, i);
    }
  }
  return expression;
}

// Whether the expression itself has what stands directly before its group: "-(", "\.(", but
// not ".*(".
bool asks_for(std::string_view expression, std::string_view sign) {
  const std::string_view before = before_group(expression);
  if (sign.size() > 1 && (sign.back() & 0x80) != 0) return before.ends_with(sign);
  const std::string_view last = sign.substr(sign.size() - 1);
  return before.ends_with(last) && (last != "." || before.ends_with("\\."));
}

// Refuses "50" of "-50" and "5" of "12.5".
void expect_beginning(const std::cmatch& match, std::string_view line, std::string_view expression,
                      const std::string& name) {
  const std::string_view number =
      match[1].length() == 0 ? std::string_view() : between(match[1].first, match[1].second);
  constexpr std::string_view kBegin = "0123456789.";
  if (number.empty() || kBegin.find(number.front()) == std::string_view::npos) return;
  const std::string_view before = search::number_before(between(line.data(), match[1].first));
  if (before.empty() || asks_for(expression, before)) return;
  const bool is_sign = before == "-" || (before.front() & 0x80) != 0;
  throw FigureError("'" + name + "' matched '" + std::string(number) + "' of '" +
                    std::string(before) + std::string(number) +
                    (is_sign ? "', without its minus: have the group take it, (-?[0-9.]+)"
                             : "', where the number has begun before: have the group take all of "
                               "it, as .*?([0-9.]+) does where .*([0-9.]+) takes the last digit"));
}

// The unit that stands behind what the first group matched, or before it in what the whole
// expression matched, or elsewhere in its line.
search::UnitBeside unit_of_match(const std::cmatch& match, std::string_view line,
                                 const FigureUnit& unit) {
  const std::string_view behind = between(match[1].second, match.suffix().second);
  const auto says_any = [](const search::UnitBeside& beside) {
    return beside.unit != nullptr || !beside.unknown.empty() || !beside.more.empty();
  };
  const search::UnitBeside next =
      search::unit_behind(behind, between(match[1].second, match[0].second).size());
  if (says_any(next)) return next;
  const search::UnitBeside before = search::unit_before(between(match[0].first, match[1].first));
  // Else it is the name of something else.
  const bool is_meant = before.unit == nullptr || unit.fits(*before.unit);
  if (says_any(before) && is_meant) return before;
  return label_unit(between(line.data(), match[1].first), behind, unit);
}

// The number that the first group matched, in the unit that stands in it or is told of it.
double matched_number(const std::cmatch& match, std::string_view line, std::string_view expression,
                      FigureUnit& unit, const std::string& name) {
  const std::string text = match.str(1);
  if (match[1].matched) expect_beginning(match, line, expression, name);
  char* stop = nullptr;
  const double number = std::strtod(text.c_str(), &stop);
  if (text.empty() || stop != text.c_str() + text.size()) {
    return figure_of(text, unit, "'" + name + "' matched");
  }
  if (is_last_part_of_time(match)) {
    throw FigureError("'" + name + "' matched '" + text +
                      "', which is the last part of a time (1m2.5s): print it in one unit");
  }
  if (is_part_of_thousands(match)) {
    throw FigureError(
        "'" + name + "' matched '" + text +
        "', which is part of a number with its thousands set apart: print it without, "
        "or have the expression match the sign where it stands between two numbers");
  }
  return unit.converted(number, unit_of_match(match, line, unit));
}

// The next line of `rest`, without its end.
std::string_view next_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

}  // namespace

std::vector<double> matched_figures(const std::regex& pattern, std::string_view expression,
                                    FigureUnit& unit, const std::string& name,
                                    std::string_view output) {
  std::vector<double> numbers;
  std::string_view rest = output;
  while (!rest.empty()) {
    const std::string_view line = next_line(rest).substr(0, kRegexLineBytes);
    const std::cregex_iterator end;
    for (std::cregex_iterator match(line.data(), line.data() + line.size(), pattern); match != end;
         ++match) {
      numbers.push_back(matched_number(*match, line, expression, unit, name));
    }
  }
  return numbers;
}

}  // namespace nightshift::evaluator
