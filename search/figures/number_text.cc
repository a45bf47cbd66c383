#include "search/figures/number_text.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/text.h"

namespace nightshift::search {
namespace {

using namespace std::string_view_literals;

char at(std::string_view text, std::size_t i) { return i < text.size() ? text[i] : '\n'; }

bool is_of_word(char c) { return base::is_letter(c) || c == '/' || c == '%' || (c & 0x80) != 0; }

// How many bytes `text` begins with that set colours or move a cursor, "ESC [ 0 m" (ECMA-48, CSI).
std::size_t escape_length(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  std::size_t end = 2;
  while (at(text, end) >= ' ' && at(text, end) <= '?') ++end;
  return at(text, end) >= '@' && at(text, end) <= '~' ? end + 1 : 0;
}

// How many bytes `text` begins with that a terminal shows as a blank or not at all: blanks, those
// of typography, and what sets colours.
std::size_t length_of_blank(std::string_view text) {
  if (at(text, 0) == ' ' || at(text, 0) == '\t') return 1;
  for (const std::string_view blank : kBlanksOfNumbers) {
    if (text.starts_with(blank)) return blank.size();
  }
  return escape_length(text);
}

}  // namespace

std::string without_colours(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    if (const std::size_t length = escape_length(text); length > 0) {
      text.remove_prefix(length);
      continue;
    }
    const std::size_t end = std::min(text.find('\x1b', 1), text.size());
    shown += text.substr(0, end);
    text.remove_prefix(end);
  }
  return shown;
}

std::string_view without_blanks(std::string_view text) {
  while (const std::size_t length = length_of_blank(text)) text.remove_prefix(length);
  return text;
}

std::size_t rest_of_number(std::string_view text) {
  const auto behind_digits = [&](std::size_t from) {
    while (base::is_digit(at(text, from))) ++from;
    return from;
  };
  if (at(text, 0) == ':' && behind_digits(1) == 3) return 3;  // the seconds of a clock
  std::size_t end = behind_digits(0);
  if (at(text, end) == '.' && base::is_digit(at(text, end + 1))) end = behind_digits(end + 1);
  if (at(text, end) == 'e' || at(text, end) == 'E') {
    const std::size_t sign = at(text, end + 1) == '-' || at(text, end + 1) == '+' ? 1 : 0;
    if (base::is_digit(at(text, end + 1 + sign))) end = behind_digits(end + 1 + sign);
  }
  return end;
}

bool takes_number(std::string_view& text) {
  text = without_blanks(text);
  if (at(text, 0) == '-' || at(text, 0) == '+') text.remove_prefix(1);
  const bool begins =
      base::is_digit(at(text, 0)) || (at(text, 0) == '.' && base::is_digit(at(text, 1)));
  if (!begins) return false;
  text.remove_prefix(rest_of_number(text));
  return true;
}

std::size_t hexadecimal_length(std::string_view text) {
  if (at(text, 0) != '0' || (at(text, 1) != 'x' && at(text, 1) != 'X')) return 0;
  constexpr std::string_view kDigits = "0123456789abcdefABCDEF.";
  const std::size_t digits = std::min(text.find_first_not_of(kDigits, 2), text.size());
  if (digits == 2) return 0;
  if (at(text, digits) != 'p' && at(text, digits) != 'P') return digits;
  const bool is_signed = at(text, digits + 1) == '-' || at(text, digits + 1) == '+';
  std::size_t end = digits + (is_signed ? 2 : 1);
  if (!base::is_digit(at(text, end))) return digits;
  while (base::is_digit(at(text, end))) ++end;
  return end;
}

double takes_count(std::string_view& text) {
  std::string digits;
  const std::size_t length = rest_of_number(text);
  std::size_t end = length;
  digits = text.substr(0, length);
  while (",_'"sv.find(at(text, end)) != std::string_view::npos &&
         rest_of_number(text.substr(end + 1)) == 3) {
    digits += text.substr(end + 1, 3);
    end += 4;
  }
  const std::size_t letter = "kKM"sv.find(at(text, end));
  const bool is_scaled = letter != std::string_view::npos && !is_of_word(at(text, end + 1));
  text.remove_prefix(end + (is_scaled ? 1 : 0));
  const double count = digits.empty() ? 0 : std::strtod(digits.c_str(), nullptr);
  return is_scaled ? count * (letter < 2 ? 1e3 : 1e6) : count;
}

namespace {

// Where digits that end at `end` begin, with the points among them.
std::size_t begin_of_digits(std::string_view text, std::size_t end) {
  const auto before = [&] { return end > 1 ? text[end - 2] : ' '; };
  while (end > 0) {
    const bool is_point =
        text[end - 1] == '.' &&
        (base::is_digit(before()) || " \t=:(,[|+-\"'"sv.find(before()) != std::string_view::npos);
    if (!base::is_digit(text[end - 1]) && !is_point) break;
    --end;
  }
  return end;
}

// Of a minus that ends at `end`, in either spelling; 0 where none does.
std::size_t length_of_minus(std::string_view text, std::size_t end) {
  constexpr std::string_view kSign = "\u2212";
  if (end > 0 && text[end - 1] == '-') return 1;
  return text.substr(0, end).ends_with(kSign) ? kSign.size() : 0;
}

}  // namespace

std::string_view number_before(std::string_view text) {
  std::size_t begin = begin_of_digits(text, text.size());
  // "1.2e-", with digits behind it or without.
  std::size_t power = begin - std::min(begin, length_of_minus(text, begin));
  if (power == begin && begin > 0 && text[begin - 1] == '+') --power;
  if (power > 1 && (text[power - 1] == 'e' || text[power - 1] == 'E')) {
    const std::size_t digits = begin_of_digits(text, power - 1);
    if (digits < power - 1) begin = digits;
  }
  if (const std::size_t sign = length_of_minus(text, begin); sign > 0) {
    const char before = begin == sign ? ' ' : text[begin - sign - 1];
    const bool between = base::is_letter(before) || base::is_digit(before) ||
                         "_-+)]}>"sv.find(before) != std::string_view::npos || (before & 0x80) != 0;
    if (!between) begin -= sign;
  }
  return text.substr(begin);
}

}  // namespace nightshift::search
