#include "search/figures/joined_numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "search/figures/number_text.h"
#include "search/figures/unit_words.h"
#include "search/unit.h"

namespace nightshift::search {
namespace {

using namespace std::string_view_literals;
using base::is_digit;

constexpr std::size_t kMostNumbers = 16;  // of one chain, which is read again behind each cut
constexpr std::size_t kGroup = 3;         // digits of a group of thousands

char at(std::string_view text, std::size_t i) { return i < text.size() ? text[i] : '\n'; }
std::size_t gap_length(std::string_view text) {
  return std::min(text.find_first_not_of(" \t"), text.size());
}
std::size_t digits_from(std::string_view text, std::size_t from) {
  while (is_digit(at(text, from))) ++from;
  return from;
}
bool are_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

// Of the number that `text` begins with; 0 where none does.
std::size_t number_length(std::string_view text) {
  const bool begins = is_digit(at(text, 0)) || (at(text, 0) == '.' && is_digit(at(text, 1)));
  return begins ? rest_of_number(text) : 0;
}

// The unit behind a number with the blanks or the bracket before it; empty where none is.
std::string_view unit_at(std::string_view text) {
  std::size_t begin = gap_length(text);
  if (at(text, begin) == '(' || at(text, begin) == '[') ++begin;
  const std::string_view word = unit_word_at(text.substr(begin));
  const char next = at(text, begin + word.size());
  if (word.empty() || is_digit(next) || next == '_' || next == '=') return {};
  const bool is_unit =
      find_unit(word) != nullptr || word == "%" || (word.size() > 1 && looks_like_unit(word));
  return is_unit ? text.substr(0, begin + word.size()) : std::string_view();
}

// "m" is minutes where it stands in a time of several parts.
const Unit* time_unit_of(std::string_view unit) {
  const std::string_view word = base::trimmed(unit);
  const Unit* found = find_unit(word == "m" ? "min" : word);
  return found != nullptr && found->dimension == Dimension::kTime ? found : nullptr;
}
// The same of a time, behind which the next part may hang: "h" of "1h30m".
std::string_view time_at(std::string_view text) {
  const std::size_t begin = gap_length(text);
  const std::string_view word = unit_word_at(text.substr(begin));
  return time_unit_of(word) != nullptr ? text.substr(0, begin + word.size()) : std::string_view();
}
double seconds_of(const Unit& unit) { return unit.multiple / unit.parts; }

// From behind a number, or behind its unit, to the next one.
struct Step {
  std::size_t length = 0;
  std::string_view sign;
  Joint joint = Joint::kRange;
};

bool is_group(std::string_view text) { return digits_from(text, 0) == kGroup; }

// "1" of 1 503; "1.503" of 1.503.780 and of 1.503,78.
bool may_have_groups(std::string_view number) {
  return are_digits(number) && number.size() <= kGroup;
}
bool has_points_for_thousands(std::string_view number) {
  const std::size_t point = number.find('.');
  return point != std::string_view::npos && may_have_groups(number.substr(0, point)) &&
         number.size() == point + 1 + kGroup && are_digits(number.substr(point + 1));
}

std::optional<Step> digits_step(std::string_view number, std::string_view text) {
  const char sign = at(text, 0);
  const auto step = [&](std::size_t length, Joint joint) {
    return Step{length, text.substr(0, length), joint};
  };
  if (sign == ':' && digits_from(text, 1) == 3 && text[1] < '6' && are_digits(number))
    return step(1, Joint::kClock);
  if (sign == '.' && has_points_for_thousands(number) && is_group(text.substr(1)))
    return step(1, Joint::kThousands);
  if (may_have_groups(number)) {
    for (const std::string_view blank : kBlanksOfNumbers) {
      if (text.starts_with(blank) && is_group(text.substr(blank.size())))
        return step(blank.size(), Joint::kThousands);
    }
    const bool is_sign =
        ",'_"sv.find(sign) != std::string_view::npos || (sign == ' ' && number.front() != '0');
    if (is_sign && is_group(text.substr(1))) return step(1, Joint::kThousands);
  }
  if (sign != ',' || !is_digit(at(text, 1))) return std::nullopt;
  const bool is_whole = are_digits(number) || has_points_for_thousands(number);
  const std::size_t end = digits_from(text, 1);
  const bool has_point = at(text, end) == '.' && is_digit(at(text, end + 1));
  return is_whole && !has_point ? std::optional(step(1, Joint::kDecimal)) : std::nullopt;
}

struct Sign {
  std::string_view text;
  Joint joint;
};
// The longer ones first.
constexpr std::array kSigns = {Sign{"...", Joint::kRange},      Sign{"..", Joint::kRange},
                               Sign{"\u2026", Joint::kRange},   Sign{"-", Joint::kRange},
                               Sign{"\u2013", Joint::kRange},   Sign{"\u2014", Joint::kRange},
                               Sign{"\u2212", Joint::kRange},   Sign{"~", Joint::kRange},
                               Sign{"to", Joint::kRange},       Sign{"through", Joint::kRange},
                               Sign{"and", Joint::kRange},      Sign{"or", Joint::kRange},
                               Sign{"**", Joint::kProduct},     Sign{"*", Joint::kProduct},
                               Sign{"^", Joint::kProduct},      Sign{"x", Joint::kProduct},
                               Sign{"\u00d7", Joint::kProduct}, Sign{"\u00b7", Joint::kProduct},
                               Sign{"/", Joint::kFraction},     Sign{"+", Joint::kSum}};

std::optional<Step> sign_step(std::string_view text, bool has_unit) {
  const std::size_t gap = gap_length(text);
  const std::string_view rest = text.substr(gap);
  for (const Sign& sign : kSigns) {
    if (!rest.starts_with(sign.text)) continue;
    const std::string_view behind = rest.substr(sign.text.size());
    const std::size_t second_gap = gap_length(behind);
    const bool is_word = base::is_letter(sign.text.front()) && sign.text.size() > 1;
    if ((gap > 0) != (second_gap > 0) || (is_word && gap == 0)) continue;
    if (has_unit && sign.joint == Joint::kFraction) continue;
    if (number_length(behind.substr(second_gap)) == 0) continue;
    return Step{gap + sign.text.size() + second_gap, rest.substr(0, sign.text.size()), sign.joint};
  }
  return std::nullopt;
}

// Behind a number in `unit`. The lesser part of a time in h or min may stand apart, as two columns
// of times in s, ms or us do.
std::optional<Step> part_step(std::string_view number, std::string_view unit,
                              std::string_view text) {
  const Unit* const larger = time_unit_of(unit);
  const std::size_t gap = gap_length(text);
  const std::size_t length = number_length(text.substr(gap));
  if (larger == nullptr || !are_digits(number) || length == 0) return std::nullopt;
  const std::string_view behind = text.substr(gap + length);
  const std::string_view word = unit_word_at(behind.substr(gap_length(behind)));
  const Unit* const lesser = time_unit_of(word);
  if (lesser == nullptr || !(seconds_of(*lesser) < seconds_of(*larger))) return std::nullopt;
  double count = 0;
  std::from_chars(text.data() + gap, text.data() + gap + length, count);
  const bool is_below = count * seconds_of(*lesser) < seconds_of(*larger);
  if (larger->multiple == 1 && (gap > 1 || !is_below)) return std::nullopt;
  return Step{gap, base::trimmed(unit), Joint::kPart};
}

// What stands behind the last number.
enum class Ending : std::uint8_t { kUnit, kLine, kSign, kOther };

Ending ending_of(std::string_view text) {
  if (!unit_at(text).empty()) return Ending::kUnit;
  const std::string_view rest = text.substr(gap_length(text));
  if (rest.empty() || rest.front() == '\r' || rest.front() == '\n') return Ending::kLine;
  const bool ends = ")];,\"'|"sv.find(rest.front()) != std::string_view::npos ||
                    (rest.front() == '.' && !is_digit(at(rest, 1)));
  return ends && !is_digit(at(rest, 1)) ? Ending::kSign : Ending::kOther;
}

// The numbers that may be joined from one on.
class Chain {
 public:
  Chain(std::string_view line, std::size_t begin) : line_(line), end_(begin) {
    std::optional<Step> step = take_number();
    while (step && numbers_.size() < kMostNumbers) {
      numbers_.back().sign = step->sign;
      numbers_.back().joint = step->joint;
      end_ += step->length;
      step = take_number();
    }
    cut();
  }

  std::optional<JoinedNumbers> joined() const {
    if (numbers_.size() < 2) return std::nullopt;
    JoinedNumbers joined;
    joined.numbers = numbers_;
    const char* const begin = numbers_.front().text.data();
    const std::size_t from = static_cast<std::size_t>(begin - line_.data());
    joined.all = line_.substr(from, end_ - from);
    joined.may_be_columns =
        ending_ != Ending::kUnit && std::ranges::all_of(numbers_, [](const auto& number) {
          return number.sign.empty() || number.sign == " ";
        });
    return joined;
  }
  // Where the next chain may begin.
  std::size_t end() const { return end_; }

 private:
  // How the number at `end_` goes on, which is behind it and its unit then.
  std::optional<Step> take_number() {
    const std::string_view text = line_.substr(end_);
    const std::size_t length = number_length(text);
    const std::string_view number = text.substr(0, length);
    numbers_.push_back({number});
    end_ += length;
    if (const auto step = digits_step(number, text.substr(length))) return with_unit(step, 0);
    const std::string_view behind = text.substr(length);
    const std::string_view time = time_at(behind);
    if (!time.empty()) {
      if (const auto part = part_step(number, time, behind.substr(time.size())))
        return with_unit(part, time.size());
    }
    const bool is_part = numbers_.size() > 1 && numbers_[numbers_.size() - 2].joint == Joint::kPart;
    const std::string_view unit = is_part ? time : unit_at(behind);
    return with_unit(sign_step(behind.substr(unit.size()), !unit.empty()), unit.size());
  }
  std::optional<Step> with_unit(const std::optional<Step>& step, std::size_t length) {
    end_ += length;
    units_.push_back(length > 0);
    return step;
  }

  bool is_only_comma() const { return std::ranges::count(line_, ',') == 1; }
  bool is_power(std::size_t next) const {
    const JoinedNumbers::Number& factor = numbers_[next];
    return factor.text.find_first_of("eE") != std::string_view::npos ||
           (factor.text == "10" && (factor.sign == "^" || factor.sign == "**"));
  }
  // Dates have leading zeroes, or three numbers.
  bool may_be_date(std::size_t i) const {
    const std::string_view next = numbers_[i + 1].text;
    return numbers_[i].sign == "-" &&
           ((next.size() > 1 && next.front() == '0' && is_digit(next[1])) ||
            numbers_[i + 1].sign == "-" || (i > 0 && numbers_[i - 1].sign == "-"));
  }
  bool is_joined(std::size_t i, Ending ending) const {
    const bool has_unit = ending == Ending::kUnit;
    const bool ends = has_unit || ending == Ending::kLine || ending == Ending::kSign;
    const std::string_view sign = numbers_[i].sign;
    switch (numbers_[i].joint) {
      case Joint::kClock:
      case Joint::kPart:
        return true;
      case Joint::kThousands:
        return sign != " " || has_unit || ending == Ending::kLine;
      case Joint::kDecimal:
        return has_unit || (ending == Ending::kLine && is_only_comma());
      case Joint::kProduct:
        return ends || is_power(i + 1);
      case Joint::kSum:
        return ends;
      case Joint::kFraction:
        return has_unit;
      case Joint::kRange:
        return has_unit || (ends && sign != "and" && sign != "or" && !may_be_date(i));
    }
    return false;
  }
  // Leaves out what stands for itself.
  void cut() {
    ending_ = units_.back() ? Ending::kUnit : ending_of(line_.substr(end_));
    if (!units_.back()) end_ += unit_at(line_.substr(end_)).size();
    Ending ending = ending_;
    for (std::size_t i = numbers_.size() - 1; i-- > 0;) {
      if (!is_joined(i, ending)) {
        end_ = static_cast<std::size_t>(numbers_[i + 1].text.data() - line_.data());
        numbers_.resize(i + 1);
        numbers_.back().sign = {};
        ending_ = ending = units_[i] ? Ending::kUnit : Ending::kOther;
      }
      if (units_[i]) ending = Ending::kUnit;
    }
  }

  std::string_view line_;
  std::size_t end_;
  std::vector<JoinedNumbers::Number> numbers_;
  std::vector<bool> units_;
  Ending ending_ = Ending::kOther;
};

// Not within a name, a version, a date or another number.
bool begins_number(std::string_view line, std::size_t i) {
  if (!is_digit(line[i]) && !(line[i] == '.' && is_digit(at(line, i + 1)))) return false;
  if (i == 0) return true;
  const char before = line[i - 1];
  const bool is_date = before == '-' && i > 1 && is_digit(line[i - 2]);
  return !is_digit(before) && !base::is_letter(before) && before != '_' && before != '.' &&
         !is_date;
}

double number_of(std::string_view text) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::vector<JoinedNumbers> joined_numbers(std::string_view line) {
  std::vector<JoinedNumbers> found;
  for (std::size_t i = 0; i < line.size();) {
    if (!begins_number(line, i)) {
      ++i;
      continue;
    }
    const Chain chain(line, i);
    if (auto joined = chain.joined()) found.push_back(*std::move(joined));
    i = std::max(chain.end(), i + 1);
  }
  return found;
}

bool is_clock(const JoinedNumbers& time) {
  const bool is_certain =
      time.numbers.size() == 3 ||
      (time.numbers.size() == 2 && time.numbers.back().text.find('.') != std::string_view::npos);
  return is_certain && time.all.ends_with(time.numbers.back().text);
}

std::optional<double> seconds_in_parts(std::string_view text) {
  text = base::trimmed(text);
  const std::vector<JoinedNumbers> found = joined_numbers(text);
  if (found.size() != 1 || found.front().all != text) return std::nullopt;
  const std::vector<JoinedNumbers::Number>& numbers = found.front().numbers;
  const Joint joint = numbers.front().joint;
  const bool is_same = std::all_of(numbers.begin(), numbers.end() - 1,
                                   [&](const auto& number) { return number.joint == joint; });
  if (!is_same || (joint != Joint::kPart && joint != Joint::kClock)) return std::nullopt;
  if (joint == Joint::kClock && !is_clock(found.front())) return std::nullopt;
  constexpr double kSixty = 60;
  double seconds = 0;
  for (const JoinedNumbers::Number& number : numbers) {
    if (joint == Joint::kClock) {
      seconds = seconds * kSixty + number_of(number.text);
      continue;
    }
    const bool is_last = number.sign.empty();
    const char* const end = number.text.data() + number.text.size();
    const std::string_view unit =
        is_last ? text.substr(static_cast<std::size_t>(end - text.data())) : number.sign;
    const Unit* const known = time_unit_of(unit);
    if (known == nullptr) return std::nullopt;
    seconds += number_of(number.text) * seconds_of(*known);
  }
  return seconds;
}

}  // namespace nightshift::search
