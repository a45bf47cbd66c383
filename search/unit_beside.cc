#include "search/unit_beside.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/text.h"
#include "search/figures/number_text.h"
#include "search/figures/scaled_unit.h"
#include "search/figures/unit_words.h"

namespace nightshift::search {

namespace {

using namespace std::string_view_literals;

char at(std::string_view text, std::size_t i) { return i < text.size() ? text[i] : '\n'; }

UnitBeside known(std::string_view word, const Unit& unit) {
  return {.unit = &unit, .of_one = is_of_one_operation(word)};
}

// Of the next number: units that are names more often, and single letters that are none.
bool may_be_name(std::string_view word, const Unit* unit) {
  return unit == nullptr ? word.size() == 1 : word == "h" || base::in_small_letters(word) == "min";
}

bool names_next(std::string_view behind) {
  const char next = at(without_blanks(behind), 0);
  return next == '=' || next == ':' || takes_number(behind);
}

// "900 us" behind "1 ms" is of one time with it, and so is ", 900 us" where it ends the line: with a
// name behind it, as in "1 s real, 900 ms user", it is another one.
bool has_lesser_part(const Unit& unit, std::string_view behind) {
  if (unit.dimension != Dimension::kTime) return false;
  bool is_listed = false;
  for (const std::string_view joint : {","sv, "and "sv, "& "sv}) {
    const std::string_view rest = without_blanks(behind);
    if (!rest.starts_with(joint)) continue;
    behind = rest.substr(joint.size());
    is_listed = true;
  }
  if (!takes_number(behind)) return false;
  const std::string_view word = unit_word_at(without_blanks(behind));
  const Unit* part = find_unit(word == "m" ? "min" : word);
  const bool is_lesser = part != nullptr && part->dimension == Dimension::kTime &&
                         part->multiple * unit.parts < unit.multiple * part->parts;
  if (!is_lesser || !is_listed) return is_lesser && unit.multiple != 1;
  const std::string_view end = without_blanks(without_blanks(behind).substr(word.size()));
  return end.find_first_not_of(" \t\r.)]") == std::string_view::npos;
}

// "100", "million" and "10 million" that `text` begins with; 0 where it is none.
double takes_count_or_word(std::string_view& text) {
  constexpr std::array kPowers = {std::pair{"hundred"sv, 1e2}, std::pair{"thousand"sv, 1e3},
                                  std::pair{"k"sv, 1e3},       std::pair{"million"sv, 1e6},
                                  std::pair{"mln"sv, 1e6},     std::pair{"billion"sv, 1e9}};
  const double count = takes_count(text);
  const std::string_view rest = without_blanks(text);
  const std::string_view word = unit_word_at(rest);
  const auto* const power =
      std::ranges::find(kPowers, word, &std::pair<std::string_view, double>::first);
  if (power == kPowers.end()) return count;
  text = rest.substr(word.size());
  return (count > 0 ? count : 1) * power->second;
}

// Of "ms/100 iterations" and "ms per 100 iterations", where `behind` begins behind "ms"; else
// nullopt.
std::optional<UnitBeside> known_of_many(std::string_view word, const Unit& unit,
                                        std::string_view behind) {
  std::string_view rest = without_blanks(behind);
  const bool is_per = rest.size() < behind.size() && rest.starts_with("per ");
  if (!is_per && at(rest, 0) != '/') return std::nullopt;
  rest = without_blanks(rest.substr(is_per ? 4 : 1));
  const double count = takes_count_or_word(rest);
  if (!(count > 0)) return std::nullopt;
  const std::string rate =
      std::string(word) + "/" + std::string(unit_word_at(without_blanks(rest)));
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
      std::string(word) + "/" + std::string(unit_word_at(without_blanks(rest.substr(kPer.size()))));
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
  for (const std::string_view sign : kErrorSigns) {
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
    if (find_unit(unit_word_at(rest.substr(i, end - i))) != nullptr) return;
  }
  const std::string_view behind = without_blanks(rest.substr(end + 1));
  const std::string_view word = unit_word_at(behind);
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
      bar.empty() ? unit_word_at(field) : unit_word_at(field.substr(0, field.find(bar)));
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

// Whether a unit is multiplied or raised by what stands behind it: "^-1", "*ms", "/1000", " x100"
// and " per 1000".
bool is_scaled_by(std::string_view behind) {
  if (at(behind, 0) == '^') return true;
  const bool hangs_on = at(behind, 0) == '*' && base::is_letter(at(behind, 1));
  if (hangs_on) return true;
  std::string_view rest = without_blanks(behind);
  for (const std::string_view sign : {"/"sv, "*"sv, "x"sv, "\u00d7"sv, "\u00b7"sv, "per "sv}) {
    if (!rest.starts_with(sign)) continue;
    rest = without_blanks(rest.substr(sign.size()));
    std::string_view behind_count = rest;
    takes_count_or_word(behind_count);
    const char next = at(behind_count, 0);
    return behind_count.size() < rest.size() && !base::is_letter(next) && next != '_';
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
  const std::string_view word = unit_word_at(text);
  const auto goes_on = [](char c) { return base::is_digit(c) || base::is_letter(c) || c == '_'; };
  const bool is_whole = !goes_on(at(text, word.size()));
  if (const Unit* unit = find_unit(word); is_whole && unit != nullptr) {
    const std::string_view behind = text.substr(word.size());
    if (has_lesser_part(*unit, behind)) return {.more = text};
    return unless_scaled(known_per(word, *unit, behind), word, behind);
  }
  if (matched >= word.size() && !looks_like_unit(word)) return {};
  std::size_t end = word.size();
  while (goes_on(at(text, end)) || is_of_unit_word(at(text, end))) ++end;
  return {.unknown = text.substr(0, end)};
}

// What stands in the bracket that `text` begins with; empty where it does not close.
std::string_view bracketed(std::string_view text) {
  const std::size_t end = text.find(text[0] == '(' ? ')' : ']');
  return end == std::string_view::npos ? std::string_view()
                                       : base::trimmed(text.substr(1, end - 1));
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
  const std::string_view word = unit_word_at(text.substr(1));
  const Unit* unit = word.size() < 2 ? nullptr : find_unit(word);
  if (unit == nullptr || may_be_name(word, unit)) return {};
  const char next = at(text, 1 + word.size());
  if (is_tied ? base::is_digit(next) || next == '_' : next != closing(text[0])) return {};
  const std::string_view behind = text.substr(1 + word.size() + (is_tied ? 0 : 1));
  return names_next(behind) ? UnitBeside{} : known(word, *unit);
}

}  // namespace

UnitBeside UnitBeside::of_word(std::string_view word) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = word.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  word = word.substr(first, word.find_last_not_of(kBlanks) + 1 - first);
  if (const Unit* unit = find_unit(word)) return known(word, *unit);
  const std::string_view own = unit_word_at(word);
  if (const Unit* unit = find_unit(own)) {
    const std::string_view behind = word.substr(own.size());
    if (const auto many = known_of_many(own, *unit, behind)) return *many;
    const std::string_view per = without_blanks(behind);
    const bool is_rate = per.starts_with("per ") && per.find(' ') == per.rfind(' ');
    if (is_rate) return known_per(own, *unit, behind);
  }
  return {.unknown = word};
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
    const std::string_view all = bracketed(rest);
    if (scaling_of(all) == Scaling::kUnit) return {.unknown = all};
    const std::string_view word = unit_word_at(rest.substr(1));
    const std::string_view behind = rest.substr(1 + word.size());
    return base::is_digit(at(behind, 0)) || at(behind, 0) == '_' ? UnitBeside{}
                                                                 : bracketed_unit(word, behind);
  }
  const std::string_view word = unit_word_at(rest);
  if (word.empty() || word == "/") return {};
  if (is_attached) return attached_unit(rest, matched);
  const std::string_view behind = rest.substr(word.size());
  const bool is_name = base::is_digit(at(behind, 0)) || at(behind, 0) == '_';
  return is_name ? UnitBeside{} : loose_unit(word, behind);
}

}  // namespace

namespace {

// What stands behind the marks that set a number off: "**10.0** us", "`10.0` us", "<b>10.0</b> us".
// A comment, "10.0 # us", begins behind one as well.
std::string_view without_marks(std::string_view text) {
  const std::size_t first = text.find_first_not_of("*`\"'~");
  text.remove_prefix(std::min(first, text.size()));
  while (at(text, 0) == '<') {
    const std::size_t end = text.substr(0, text.find('\n')).find('>');
    if (end == std::string_view::npos) return text;
    text.remove_prefix(end + 1);
  }
  const std::string_view rest = without_blanks(text);
  return at(rest, 0) == '#' ? rest.substr(1) : text;
}

// One that we know, and no name of what follows it.
UnitBeside set_off_unit(std::string_view text) {
  const std::string_view rest = without_marks(text);
  if (rest.size() == text.size()) return {};
  const UnitBeside told = told_behind(rest, 0);
  const std::string_view word = without_blanks(rest);
  const char next = at(without_blanks(word.substr(unit_word_at(word).size())), 0);
  return told.unit != nullptr && next != '=' && next != ':' ? told : UnitBeside{};
}

}  // namespace

UnitBeside unit_behind(std::string_view text, std::size_t matched) {
  const auto is_silent = [](const UnitBeside& told) {
    return told.unit == nullptr && told.unknown.empty() && told.more.empty();
  };
  UnitBeside told = told_behind(text, matched);
  if (is_silent(told)) told = marked_unit(text);
  return is_silent(told) ? set_off_unit(text) : told;
}

UnitBeside unit_before(std::string_view text) {
  constexpr std::string_view kBetween = " \t()[]=:\"'";
  const std::size_t last = text.find_last_not_of(kBetween);
  if (last == std::string_view::npos) return {};
  const bool in_brackets =
      last + 1 < text.size() && (text[last + 1] == ')' || text[last + 1] == ']');
  std::size_t begin = last + 1;
  while (begin > 0 && is_of_unit_word(text[begin - 1])) --begin;
  const std::string_view word = text.substr(begin, last + 1 - begin);
  if (base::in_small_letters(word) == "min") return {};
  if (in_brackets) {
    const std::size_t opening = text.find_last_of("([", last);
    const std::string_view all =
        opening == std::string_view::npos ? word : text.substr(opening + 1, last - opening);
    const Scaling scaling = scaling_of(all);
    if (scaling == Scaling::kUnit || scaling == Scaling::kFactor)
      return {.unknown = base::trimmed(all)};
    const bool is_all = begin > 0 && (text[begin - 1] == '(' || text[begin - 1] == '[');
    if (find_unit(word) != nullptr) return UnitBeside::of_word(word);
    return is_all && looks_like_unit(word) ? UnitBeside{.unknown = word} : UnitBeside{};
  }
  const Unit* unit = word.size() < 2 ? nullptr : find_unit(word);
  return unit != nullptr ? known(word, *unit) : UnitBeside{};
}

}  // namespace nightshift::search
