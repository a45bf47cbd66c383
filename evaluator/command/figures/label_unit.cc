#include "evaluator/command/figures/label_unit.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "base/text.h"
#include "evaluator/command/figures/figure_error.h"
#include "evaluator/command/figures/key_unit.h"
#include "search/figures/scaled_unit.h"
#include "search/figures/unit_words.h"

namespace nightshift::evaluator {
namespace {

using search::UnitBeside;

bool is_of_name(char c) { return base::is_letter(c) || base::is_digit(c) || c == '_'; }

bool says_none(const UnitBeside& unit) { return unit.unit == nullptr && unit.unknown.empty(); }

bool is_scaled(std::string_view text) {
  const search::Scaling scaling = search::scaling_of(text);
  return scaling == search::Scaling::kFactor || scaling == search::Scaling::kUnit;
}

// `text` up to the last sign that is none of `signs`.
std::string_view without_end(std::string_view text, std::string_view signs) {
  return text.substr(0, text.find_last_not_of(signs) + 1);
}
std::string_view without_begin(std::string_view text, std::string_view signs) {
  text.remove_prefix(std::min(text.find_first_not_of(signs), text.size()));
  return text;
}

std::string_view last_name(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_of_name(text[begin - 1])) --begin;
  return text.substr(begin);
}

// Whether a bracket that ends `label` is that of a name, as in "time (us)": of a row of a table the
// field before a number may be another number's, "5 (us), 7".
bool is_of_a_name(std::string_view label) {
  const std::string_view name = without_end(label.substr(0, label.find_last_of("([")), " \t\"'");
  return !name.empty() && is_of_name(name.back()) && !base::is_digit(name.back());
}

// Of "Time in us", "Time in s" and "mean us"; of "5 us" it is another number's.
UnitBeside unit_in_words(std::string_view label) {
  const std::size_t blank = label.find_last_of(" \t");
  if (blank == std::string_view::npos) return {};
  const std::string_view before = without_end(label.substr(0, blank), " \t");
  const std::string_view word = label.substr(blank + 1);
  if (before.empty() || !base::is_letter(before.back()) || search::find_unit(word) == nullptr)
    return {};
  const bool is_in = base::in_small_letters(last_name(before)) == "in";
  const bool is_alone = word.size() > 1 && base::in_small_letters(word) != "min";
  return is_in || is_alone ? UnitBeside::of_word(word) : UnitBeside{};
}

// Of "time (us): ", "time_us = " and the cells "time (us)", and time_us, where a sign stands
// between label and number.
UnitBeside unit_of_label(std::string_view before, const FigureUnit& wanted) {
  constexpr std::string_view kBlanksAndQuotes = " \t\"'";
  const std::string_view signed_end = without_end(before, kBlanksAndQuotes);
  const std::string_view label = without_end(signed_end, " \t\"':=|,;");
  if (label.empty()) return {};
  const bool is_cell = signed_end.find_first_of(",;", label.size()) != std::string_view::npos;
  if (label.back() == ')' || label.back() == ']') {
    if (is_cell && !is_of_a_name(label)) return {};
    const UnitBeside unit = search::unit_before(label);
    const bool fits = unit.unit != nullptr && wanted.fits(*unit.unit);
    return fits || unit.unknown.size() > 1 ? unit : UnitBeside{};
  }
  const std::string_view name = last_name(label);
  if (const UnitBeside unit = unit_in_words(label); unit.unit != nullptr) {
    return wanted.fits(*unit.unit) ? unit : UnitBeside{};
  }
  if (label.size() == signed_end.size() || !is_of_several_words(name)) return {};
  const UnitBeside unit = unit_of_key(name, wanted);
  return unit.unit != nullptr && wanted.fits(*unit.unit) ? unit : UnitBeside{};
}

// The same where the label ends with the objective's own word, which needs no conversion.
UnitBeside unit_of_any_label(std::string_view before, const FigureUnit& wanted) {
  const UnitBeside unit = unit_of_label(before, wanted);
  if (!says_none(unit) || !wanted.is_given_time()) return unit;
  search::Objective bare;
  bare.name = wanted.objective();
  bare.unit.clear();
  const UnitBeside any = unit_of_label(before, FigureUnit(bare));
  return any.unit == search::find_unit(wanted.word()) ? any : UnitBeside{};
}

// What is behind "unit=", "time_unit: " or "\"units\": \"", where `text` goes on behind "unit": a
// word, or all of it where that is a unit with a factor, "100 ns".
std::string_view word_behind_unit(std::string_view text) {
  if (!text.empty() && (text.front() == 's' || text.front() == 'S')) text.remove_prefix(1);
  const std::string_view sign = without_begin(text, " \t\"'");
  if (sign.empty() || (sign.front() != '=' && sign.front() != ':')) return {};
  const std::string_view word = without_begin(sign.substr(1), " \t\"'[(");
  const std::string_view all = word.substr(0, word.find_first_of("\"',;)]|=\r\n"));
  return is_scaled(all) ? all : word.substr(0, word.find_first_of(" \t\"',;)]|=\r\n"));
}

// A unit that a line names by the word "unit", and where in the line.
struct NamedUnit {
  UnitBeside unit;
  std::size_t at = 0;
};

// Words that `text` says to be units, as far as they can be meant.
std::vector<NamedUnit> units_in(std::string_view text, const FigureUnit& wanted) {
  std::vector<NamedUnit> found;
  constexpr std::string_view kUnit = "unit";
  const std::string small = base::in_small_letters(text);
  for (std::size_t at = small.find(kUnit); at != std::string::npos;
       at = small.find(kUnit, at + kUnit.size())) {
    const UnitBeside unit = UnitBeside::of_word(word_behind_unit(text.substr(at + kUnit.size())));
    const bool fits = unit.unit != nullptr && wanted.fits(*unit.unit);
    if (fits || search::looks_like_unit(unit.unknown) || is_scaled(unit.unknown))
      found.push_back({unit, at});
  }
  return found;
}

bool has_digit(std::string_view text) { return std::ranges::any_of(text, base::is_digit); }

// Those between which and the number no other number stands.
std::vector<UnitBeside> units_next_to(std::string_view before, std::string_view behind,
                                      const FigureUnit& wanted) {
  std::vector<UnitBeside> found;
  for (const NamedUnit& one : units_in(behind, wanted)) {
    if (!has_digit(behind.substr(0, one.at))) found.push_back(one.unit);
  }
  for (const NamedUnit& one : units_in(before, wanted)) {
    if (!has_digit(before.substr(one.at))) found.push_back(one.unit);
  }
  return found;
}

std::string_view word_of(const UnitBeside& unit) {
  return unit.unit != nullptr ? unit.unit->name : unit.unknown;
}

[[noreturn]] void refuse(const UnitBeside& one, const UnitBeside& other, const FigureUnit& wanted) {
  throw FigureError("a figure of " + base::in_quotes(wanted.objective()) +
                    " stands in a line that has the units " + base::in_quotes(word_of(one)) +
                    " and " + base::in_quotes(word_of(other)) +
                    ": print the unit behind the number, 900 us, and no other");
}

}  // namespace

void expect_label_agrees(const UnitBeside& unit, std::string_view before, std::string_view behind,
                         const FigureUnit& wanted) {
  if (unit.unit == nullptr) return;
  std::vector<UnitBeside> others = units_next_to(before, behind, wanted);
  others.push_back(unit_of_any_label(before, wanted));
  for (const UnitBeside& other : others) {
    const bool is_other = other.unit != nullptr && other.unit != unit.unit &&
                          other.unit->dimension == unit.unit->dimension;
    if (is_other) refuse(unit, other, wanted);
  }
}

UnitBeside named_unit(std::string_view line, const FigureUnit& wanted) {
  const std::vector<NamedUnit> found = units_in(line, wanted);
  if (found.size() != 1) return {};
  const UnitBeside& unit = found.front().unit;
  return has_digit(line) && !is_scaled(unit.unknown) ? UnitBeside{} : unit;
}

UnitBeside label_unit(std::string_view before, std::string_view behind, const FigureUnit& wanted) {
  if (const UnitBeside own = unit_of_any_label(before, wanted); !says_none(own)) {
    expect_label_agrees(own, before, behind, wanted);
    return own;
  }
  std::vector<NamedUnit> found = units_in(behind, wanted);
  std::ranges::copy(units_in(before, wanted), std::back_inserter(found));
  const UnitBeside* known = nullptr;
  for (const auto& [unit, at] : found) {
    if (unit.unit == nullptr) continue;
    if (known != nullptr && (known->unit != unit.unit || known->of_one != unit.of_one))
      refuse(*known, unit, wanted);
    known = &unit;
  }
  if (known != nullptr) return *known;
  return found.size() == 1 ? found.front().unit : UnitBeside{};
}

}  // namespace nightshift::evaluator
