#include "search/unit_beside.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/text.h"

namespace nightshift::search {

namespace {

using namespace std::string_view_literals;

// Units that we do not know, in small letters.
constexpr std::array kForeign = {
    "day"sv, "week"sv, "fortnight"sv, "month"sv, "year"sv, "lightyear"sv, "ps"sv, "fs"sv, "cs"sv,
    "ds"sv, "ks"sv, "cycle"sv, "kcycle"sv, "mcycle"sv, "gcycle"sv, "cy"sv, "cyc"sv, "clk"sv,
    "clock"sv, "tick"sv, "jiffy"sv, "jiffies"sv, "bit"sv, "kbit"sv, "mbit"sv, "gbit"sv, "kibit"sv,
    "mibit"sv, "gibit"sv, "kilobit"sv, "megabit"sv, "gigabit"sv, "bps"sv, "kbps"sv, "mbps"sv,
    "gbps"sv, "fps"sv, "qps"sv, "rps"sv, "tps"sv, "iops"sv, "kiops"sv, "mops"sv, "gops"sv, "tops"sv,
    "mips"sv, "rpm"sv, "mm"sv, "cm"sv, "km"sv, "metre"sv, "meter"sv, "kilometre"sv, "kilometer"sv,
    "mile"sv, "inch"sv, "inches"sv, "foot"sv, "feet"sv, "yard"sv, "furlong"sv, "gram"sv,
    "kilogram"sv, "kg"sv, "mg"sv, "volt"sv, "mv"sv, "ampere"sv, "amp"sv, "mah"sv, "wh"sv, "kwh"sv,
    "mwh"sv, "ev"sv, "erg"sv, "calorie"sv, "kcal"sv, "kelvin"sv, "celsius"sv, "fahrenheit"sv,
    "degree"sv, "deg"sv, "ppm"sv, "cal"sv, "permille"sv, "permil"sv, "lumen"sv, "lux"sv,
    "candela"sv, "newton"sv, "pascal"sv, "psi"sv, "ohm"sv, "farad"sv, "tesla"sv, "decibel"sv,
    "db"sv, "dbm"sv, "btu"sv, "mph"sv, "gallon"sv, "litre"sv, "liter"sv, "ounce"sv, "pound"sv,
    "radian"sv,
    // Words for powers of ten, which are none of the number that is read.
    "hundred"sv, "thousand"sv, "million"sv, "billion"sv, "trillion"sv, "mln"sv, "dozen"sv};
// What else ends so is a unit as well: "parsec", "gigahertz".
constexpr std::array kTails = {"second"sv, "sec"sv,  "minute"sv, "hour"sv, "byte"sv,
                               "joule"sv,  "watt"sv, "flop"sv,   "hertz"sv};

bool is_blank(char c) { return c == ' ' || c == '\t'; }
// Of a word: a letter, the slash of a rate, or part of a sign beyond ASCII.
bool is_part(char c) { return base::is_letter(c) || c == '/' || c == '%' || (c & 0x80) != 0; }
char at(std::string_view text, std::size_t i) { return i < text.size() ? text[i] : '\n'; }

// How many bytes `text` begins with that a terminal shows as a blank or not at all: blanks, those of
// typography, and what sets colours, "ESC [ 0 m".
std::size_t length_of_blank(std::string_view text) {
  if (is_blank(at(text, 0))) return 1;
  for (const std::string_view blank : kBlanksOfNumbers) {
    if (text.starts_with(blank)) return blank.size();
  }
  if (!text.starts_with("\x1b[")) return 0;
  std::size_t end = 2;
  while (base::is_digit(at(text, end)) || at(text, end) == ';') ++end;
  return base::is_letter(at(text, end)) ? end + 1 : 0;
}

std::string_view without_blanks(std::string_view text) {
  while (const std::size_t length = length_of_blank(text)) text.remove_prefix(length);
  return text;
}

UnitBeside known(std::string_view word, const Unit& unit) {
  return {.unit = &unit, .of_one = is_of_one_operation(word)};
}

std::string_view first_word(std::string_view text) {
  std::size_t end = 0;
  while (is_part(at(text, end))) ++end;
  while (end > 1 && text[end - 1] == '/') --end;  // "us/3"
  return text.substr(0, end);
}

}  // namespace

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

namespace {

// Leaves in `text` what is behind the number that it begins with, if it does.
bool takes_number(std::string_view& text) {
  text = without_blanks(text);
  if (at(text, 0) == '-' || at(text, 0) == '+') text.remove_prefix(1);
  const bool begins =
      base::is_digit(at(text, 0)) || (at(text, 0) == '.' && base::is_digit(at(text, 1)));
  if (!begins) return false;
  text.remove_prefix(rest_of_number(text));
  return true;
}

// Of the next number: units that are names more often, and single letters that are none.
bool may_be_name(std::string_view word, const Unit* unit) {
  return unit == nullptr ? word.size() == 1 : word == "h" || base::in_small_letters(word) == "min";
}

bool names_next(std::string_view behind) {
  const char next = at(without_blanks(behind), 0);
  return next == '=' || next == ':' || takes_number(behind);
}

bool has_lesser_part(const Unit& unit, std::string_view behind) {
  if (unit.dimension != Dimension::kTime || unit.multiple == 1) return false;
  if (!takes_number(behind)) return false;
  const std::string_view word = first_word(without_blanks(behind));
  const Unit* part = find_unit(word == "m" ? "min" : word);
  return part != nullptr && part->dimension == Dimension::kTime && part->multiple < unit.multiple;
}

// A count that `text` begins with, without its thousands' signs: of "100", "1,000", "1e3" and "1k".
// Leaves what is behind it; 0 where there is none.
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
  const bool is_scaled = letter != std::string_view::npos && !is_part(at(text, end + 1));
  text.remove_prefix(end + (is_scaled ? 1 : 0));
  const double count = digits.empty() ? 0 : std::strtod(digits.c_str(), nullptr);
  return is_scaled ? count * (letter < 2 ? 1e3 : 1e6) : count;
}

// Of "ms/100 iterations" and "ms per 100 iterations", where `behind` begins behind "ms"; else
// nullopt.
std::optional<UnitBeside> known_of_many(std::string_view word, const Unit& unit,
                                        std::string_view behind) {
  std::string_view rest = without_blanks(behind);
  const bool is_per = rest.size() < behind.size() && rest.starts_with("per ");
  if (!is_per && at(rest, 0) != '/') return std::nullopt;
  rest = without_blanks(rest.substr(is_per ? 4 : 1));
  const double count = takes_count(rest);
  if (!(count > 0)) return std::nullopt;
  const std::string rate = std::string(word) + "/" + std::string(first_word(without_blanks(rest)));
  if (!is_of_one_operation(rate)) return std::nullopt;
  return UnitBeside{.unit = &unit, .of_one = true, .count = count};
}

// "us" of "us per iteration", as "us/iteration" would be; or `word` alone.
UnitBeside known_per(std::string_view word, const Unit& unit, std::string_view behind) {
  if (const auto many = known_of_many(word, unit, behind)) return *many;
  constexpr std::string_view kPer = "per ";
  const std::string_view rest = without_blanks(behind);
  if (rest.size() == behind.size() || !rest.starts_with(kPer)) return known(word, unit);
  const std::string rate =
      std::string(word) + "/" + std::string(first_word(without_blanks(rest.substr(kPer.size()))));
  const Unit* found = find_unit(rate);
  return found != nullptr ? known(rate, *found) : known(word, unit);
}

// How a number goes on behind a blank: "e-3" of "10.0 e-3 s", "* 1e-6" and "x 10^-6".
std::string_view power_behind(std::string_view text) {
  const std::string_view rest = without_blanks(text);
  if (rest.size() == text.size()) return {};
  const std::size_t exponent = rest_of_number(rest);
  if ((at(rest, 0) == 'e' || at(rest, 0) == 'E') && exponent > 0 &&
      !base::is_letter(at(rest, exponent))) {
    return rest.substr(0, exponent);
  }
  for (const std::string_view sign : {"*"sv, "x"sv, "\u00d7"sv, "\u00b7"sv}) {
    if (!rest.starts_with(sign)) continue;
    const std::string_view factor = without_blanks(rest.substr(sign.size()));
    if (!base::is_digit(at(factor, 0))) continue;
    const std::size_t length = rest_of_number(factor);
    const std::string_view number = factor.substr(0, length);
    const bool is_power =
        number.find_first_of("eE") != std::string_view::npos ||
        (number == "10" && (at(factor, length) == '^' || factor.substr(length).starts_with("**")));
    if (is_power) return rest.substr(0, rest.size() - factor.size() + length);
  }
  return {};
}

// Leaves in `text` what is behind an error, "+- 0.1" or "(+- 0.1)", if it begins with one. The
// bracket may have begun before the number: "(10.0 +- 0.1) us".
void pass_error(std::string_view& text) {
  std::string_view rest = without_blanks(text);
  if (at(rest, 0) == '(') rest = without_blanks(rest.substr(1));
  for (const std::string_view sign : {"+-"sv, "+/-"sv, "\u00b1"sv}) {
    if (!rest.starts_with(sign)) continue;
    rest.remove_prefix(sign.size());
    if (!takes_number(rest)) return;
    // A relative one: "10.0 +- 1% us".
    if (const auto share = without_blanks(rest); at(share, 0) == '%') rest = share.substr(1);
    const std::string_view behind = without_blanks(rest);
    text = at(behind, 0) == ')' ? behind.substr(1) : rest;
    return;
  }
}

// Leaves in `text` the unit behind what else is told of the number in brackets: "[9.8, 10.2] us".
void pass_remark(std::string_view& text) {
  const std::string_view rest = without_blanks(text);
  if (at(rest, 0) != '(' && at(rest, 0) != '[') return;
  const std::size_t end = rest.find(rest[0] == '(' ? ')' : ']');
  if (end == std::string_view::npos || rest.substr(0, end).find('\n') != std::string_view::npos)
    return;
  bool any_number = false;
  for (std::size_t i = 1; i < end; ++i) {
    any_number = any_number || base::is_digit(rest[i]);
    if (!base::is_letter(rest[i]) || base::is_letter(rest[i - 1])) continue;
    if (find_unit(first_word(rest.substr(i, end - i))) != nullptr) return;
  }
  const std::string_view behind = without_blanks(rest.substr(end + 1));
  const std::string_view word = first_word(behind);
  if (any_number && word.size() > 1 && find_unit(word) != nullptr) text = behind;
}

// The bar between two cells that `text` begins with, as ASCII or as a box has it; else empty.
std::string_view bar_of(std::string_view text) {
  for (const std::string_view bar : {"|"sv, "\u2502"sv, "\u2503"sv}) {
    if (text.starts_with(bar)) return bar;
  }
  return {};
}

// "us" of "10.0, us" and of "10.0 | us |": a field or a cell of its own, which ends with its line
// or at the next comma or bar. A cell may be "s", and one that only looks like a unit is meant.
UnitBeside field_unit(std::string_view text) {
  const std::string_view rest = without_blanks(text);
  const std::string_view bar = bar_of(rest);
  if (bar.empty() && at(rest, 0) != ',' && at(rest, 0) != ';') return {};
  const std::string_view field = without_blanks(rest.substr(std::max<std::size_t>(1, bar.size())));
  const std::string_view word =
      bar.empty() ? first_word(field) : first_word(field.substr(0, field.find(bar)));
  const std::string_view behind = without_blanks(field.substr(word.size()));
  const char next = at(behind, 0);
  const bool ends = bar.empty() ? "\n\r,;"sv.find(next) != std::string_view::npos
                                : next == '\n' || next == '\r' || behind.starts_with(bar);
  const Unit* unit = find_unit(word);
  if (!ends || base::in_small_letters(word) == "min") return {};
  if (unit != nullptr && (word.size() > 1 || (word == "s" && !bar.empty())))
    return known(word, *unit);
  const bool is_meant = !bar.empty() && word.size() > 1 && looks_like_unit(word);
  return is_meant ? UnitBeside{.unknown = word} : UnitBeside{};
}

// Whether a unit is multiplied or raised by what stands behind it: "^-1", "*ms", "/1000" and " x100".
bool is_scaled_by(std::string_view behind) {
  if (at(behind, 0) == '^') return true;
  const bool hangs_on = at(behind, 0) == '*' && base::is_letter(at(behind, 1));
  if (hangs_on) return true;
  std::string_view rest = without_blanks(behind);
  for (const std::string_view sign : {"/"sv, "*"sv, "x"sv, "\u00d7"sv, "\u00b7"sv}) {
    if (!rest.starts_with(sign)) continue;
    rest = without_blanks(rest.substr(sign.size()));
    const std::size_t length = rest_of_number(rest);
    const char next = at(rest, length);
    return length > 0 && !base::is_letter(next) && next != '_';
  }
  return false;
}

// The unit that `word` was found to be; or how the number goes on, where something scales that.
UnitBeside unless_scaled(UnitBeside found, std::string_view word, std::string_view behind) {
  const bool is_of_many = found.count != 1 || found.of_one;
  if (is_of_many || !is_scaled_by(behind)) return found;
  return {.more = {word.data(), word.size() + behind.size()}};
}

// Of a word behind blanks, before `behind`.
UnitBeside loose_unit(std::string_view word, std::string_view behind) {
  const Unit* unit = find_unit(word);
  if (unit != nullptr && has_lesser_part(*unit, behind)) {
    return {.more = {word.data(), word.size() + behind.size()}};
  }
  if (may_be_name(word, unit) && names_next(behind)) return {};
  if (unit != nullptr) return unless_scaled(known_per(word, *unit, behind), word, behind);
  const bool is_meant = looks_like_unit(word) || is_without_dimension(word);
  return is_meant && at(without_blanks(behind), 0) != '=' ? UnitBeside{.unknown = word}
                                                          : UnitBeside{};
}

// Of a word in brackets, before `behind`. "(min)" is the least.
UnitBeside bracketed_unit(std::string_view word, std::string_view behind) {
  if (base::in_small_letters(word) == "min") return {};
  if (find_unit(word) != nullptr) return UnitBeside::of_word(word);
  const bool is_all = at(behind, 0) == ')' || at(behind, 0) == ']';
  return is_all && (looks_like_unit(word) || is_without_dimension(word)) ? UnitBeside::of_word(word)
                                                                         : UnitBeside{};
}

// Of what hangs on the number.
UnitBeside attached_unit(std::string_view text, std::size_t matched) {
  const std::string_view word = first_word(text);
  const auto goes_on = [](char c) { return base::is_digit(c) || base::is_letter(c) || c == '_'; };
  const bool is_whole = !goes_on(at(text, word.size()));
  if (const Unit* unit = find_unit(word); is_whole && unit != nullptr) {
    const std::string_view behind = text.substr(word.size());
    if (has_lesser_part(*unit, behind)) return {.more = text};
    return unless_scaled(known_per(word, *unit, behind), word, behind);
  }
  if (matched >= word.size() && !looks_like_unit(word)) return {};
  std::size_t end = word.size();
  while (goes_on(at(text, end)) || is_part(at(text, end))) ++end;
  return {.unknown = text.substr(0, end)};
}

// What closes what a character opens; 0 where it opens nothing.
char closing(char opening) {
  if (opening == '{') return '}';
  return "\"'`"sv.find(opening) != std::string_view::npos ? opening : '\0';
}

// Of a unit in quotes or braces, "5.0 'us'" and "5","us", and of one that a single sign ties to the
// number: "5.0-us". Where it is the name of what comes next it is none: 5, "ms": 7.
UnitBeside marked_unit(std::string_view text) {
  const bool is_tied = "-_=:"sv.find(at(text, 0)) != std::string_view::npos;
  if (!is_tied) {
    text = without_blanks(text);
    const std::size_t end = std::min(text.find_first_not_of("\"'`,; \t{"), text.size());
    if (end == 0 || closing(text[end - 1]) == '\0') return {};
    text.remove_prefix(end - 1);
  }
  const std::string_view word = first_word(text.substr(1));
  const Unit* unit = word.size() < 2 ? nullptr : find_unit(word);
  if (unit == nullptr || may_be_name(word, unit)) return {};
  const char next = at(text, 1 + word.size());
  if (is_tied ? base::is_digit(next) || next == '_' : next != closing(text[0])) return {};
  const std::string_view behind = text.substr(1 + word.size() + (is_tied ? 0 : 1));
  return names_next(behind) ? UnitBeside{} : known(word, *unit);
}

bool is_rate(std::string_view word) {
  const std::size_t slash = word.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view over = word.substr(0, slash);
  const Unit* under = find_unit(word.substr(slash + 1));
  return find_unit(over) != nullptr || (over.size() > 1 && looks_like_unit(over)) ||
         (under != nullptr && under->dimension == Dimension::kTime);
}

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

UnitBeside UnitBeside::of_word(std::string_view word) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = word.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  word = word.substr(first, word.find_last_not_of(kBlanks) + 1 - first);
  if (const Unit* unit = find_unit(word)) return known(word, *unit);
  const std::string_view own = first_word(word);
  if (const Unit* unit = find_unit(own)) {
    const std::string_view behind = word.substr(own.size());
    if (const auto many = known_of_many(own, *unit, behind)) return *many;
    const std::string_view per = without_blanks(behind);
    const bool is_rate = per.starts_with("per ") && per.find(' ') == per.rfind(' ');
    if (is_rate) return known_per(own, *unit, behind);
  }
  return {.unknown = word};
}

bool is_without_dimension(std::string_view word) {
  return word == "x" || word == "X" || word == "%" || word == "percent" || word == "\u00d7";
}

bool looks_like_unit(std::string_view word) {
  if (word.empty()) return false;
  if (find_unit(word) != nullptr || is_rate(word)) return true;
  if (word.size() == 1)
    return base::is_letter(word[0]) && "aAIxX"sv.find(word[0]) == "aAIxX"sv.npos;
  for (const std::string_view sign : {"\u00b5"sv, "\u03bc"sv, "\u00b0"sv, "\u2030"sv, "\u2031"sv}) {
    if (word.starts_with(sign)) return true;
  }
  // Powers and products: "ms\u00b2", "s\u207b\u00b9", "ms\u00b7W".
  for (const std::string_view sign : {"\u00b2"sv, "\u00b3"sv, "\u207b"sv, "\u00b7"sv, "\u22c5"sv}) {
    const std::size_t at = word.find(sign);
    if (at != std::string_view::npos && find_unit(word.substr(0, at)) != nullptr) return true;
  }
  const std::string letters = base::in_small_letters(word);
  std::string_view singular = letters;
  if (singular.ends_with('s')) singular.remove_suffix(1);
  return find_unit_in_any_case(letters) != nullptr ||
         std::ranges::find(kForeign, letters) != kForeign.end() ||
         std::ranges::find(kForeign, singular) != kForeign.end() ||
         std::ranges::any_of(kTails, [&](std::string_view tail) {
           return singular.ends_with(tail) || letters.ends_with(tail);
         });
}

namespace {

UnitBeside told_behind(std::string_view text, std::size_t matched) {
  if (const std::size_t more = rest_of_number(text); more > 0) {
    if (matched == 0) return {.more = text.substr(0, more)};
    text.remove_prefix(more);
    matched -= std::min(matched, more);
  }
  const UnitBeside field = field_unit(text);
  if (field.unit != nullptr || !field.unknown.empty()) return field;
  if (const std::string_view power = power_behind(text); !power.empty()) return {.more = power};
  const std::size_t before_error = text.size();
  pass_error(text);
  pass_remark(text);
  const std::string_view rest = without_blanks(text);
  const bool is_attached = rest.size() == text.size();
  matched -= std::min(matched, before_error - text.size());
  if (at(rest, 0) == '(' || at(rest, 0) == '[') {
    const std::string_view word = first_word(rest.substr(1));
    const std::string_view behind = rest.substr(1 + word.size());
    return base::is_digit(at(behind, 0)) || at(behind, 0) == '_' ? UnitBeside{}
                                                                 : bracketed_unit(word, behind);
  }
  const std::string_view word = first_word(rest);
  if (word.empty() || word == "/") return {};
  if (is_attached) return attached_unit(rest, matched);
  const std::string_view behind = rest.substr(word.size());
  const bool is_name = base::is_digit(at(behind, 0)) || at(behind, 0) == '_';
  return is_name ? UnitBeside{} : loose_unit(word, behind);
}

}  // namespace

std::string_view stray_unit(std::string_view text, Dimension dimension, std::string_view own) {
  for (const std::string_view sign : {"&micro;"sv, "&mu;"sv, "\\mu"sv, "\\micro"sv}) {
    const std::size_t found = text.find(sign);
    if (found != std::string_view::npos && dimension == Dimension::kTime) {
      return text.substr(found, sign.size());
    }
  }
  bool is_of_number = false;  // the word belongs to a number before it
  for (std::size_t i = 0; i < text.size();) {
    if (!is_part(text[i]) || text[i] == '/') {
      if (base::is_digit(text[i])) {
        is_of_number = true;
      } else if (!is_blank(text[i])) {
        is_of_number = false;
      }
      ++i;
      continue;
    }
    const std::string_view word = first_word(text.substr(i));
    const bool is_alone = i == 0 || (!base::is_digit(text[i - 1]) && text[i - 1] != '_');
    const char next = at(text, i + word.size());
    const bool ends = !base::is_digit(next) && next != '_' && next != '=' && next != ':';
    const Unit* unit = word.size() > 1 && is_alone && ends ? find_unit(word) : nullptr;
    const bool is_stray = unit != nullptr && !is_of_number && unit->dimension == dimension &&
                          unit->name != own && base::in_small_letters(word) != "min";
    if (is_stray) return word;
    is_of_number = false;
    i += std::max<std::size_t>(1, word.size());
  }
  return {};
}

UnitBeside unit_behind(std::string_view text, std::size_t matched) {
  const UnitBeside told = told_behind(text, matched);
  const bool is_silent = told.unit == nullptr && told.unknown.empty() && told.more.empty();
  return is_silent ? marked_unit(text) : told;
}

UnitBeside unit_before(std::string_view text) {
  constexpr std::string_view kBetween = " \t()[]=:\"'";
  const std::size_t last = text.find_last_not_of(kBetween);
  if (last == std::string_view::npos) return {};
  const bool in_brackets =
      last + 1 < text.size() && (text[last + 1] == ')' || text[last + 1] == ']');
  std::size_t begin = last + 1;
  while (begin > 0 && is_part(text[begin - 1])) --begin;
  const std::string_view word = text.substr(begin, last + 1 - begin);
  if (base::in_small_letters(word) == "min") return {};
  if (in_brackets) {
    const bool is_all = begin > 0 && (text[begin - 1] == '(' || text[begin - 1] == '[');
    if (find_unit(word) != nullptr) return UnitBeside::of_word(word);
    return is_all && looks_like_unit(word) ? UnitBeside{.unknown = word} : UnitBeside{};
  }
  const Unit* unit = word.size() < 2 ? nullptr : find_unit(word);
  return unit != nullptr ? known(word, *unit) : UnitBeside{};
}

}  // namespace nightshift::search
