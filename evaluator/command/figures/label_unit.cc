#include "evaluator/command/figures/label_unit.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "evaluator/command/figures/figure_error.h"
#include "evaluator/command/figures/key_unit.h"

namespace nightshift::evaluator {
namespace {

using search::UnitBeside;

bool is_of_name(char c) { return base::is_letter(c) || base::is_digit(c) || c == '_'; }

bool says_none(const UnitBeside& unit) { return unit.unit == nullptr && unit.unknown.empty(); }

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

// Of "time (us): " and "time_us = ", where a sign stands between label and number.
UnitBeside unit_of_label(std::string_view before, const FigureUnit& wanted) {
  constexpr std::string_view kBlanksAndQuotes = " \t\"'";
  const std::string_view signed_end = without_end(before, kBlanksAndQuotes);
  const std::string_view label = without_end(signed_end, " \t\"':=|");
  if (label.empty()) return {};
  if (label.back() == ')' || label.back() == ']') {
    const UnitBeside unit = search::unit_before(label);
    const bool fits = unit.unit != nullptr && wanted.fits(*unit.unit);
    return fits || unit.unknown.size() > 1 ? unit : UnitBeside{};
  }
  const std::string_view name = last_name(label);
  if (label.size() == signed_end.size() || name.find('_') == std::string_view::npos) return {};
  const UnitBeside unit = unit_of_key(name, wanted);
  return unit.unit != nullptr && wanted.fits(*unit.unit) ? unit : UnitBeside{};
}

// The word behind "unit=", "time_unit: " or "\"units\": \"", where `text` goes on behind "unit".
std::string_view word_behind_unit(std::string_view text) {
  if (!text.empty() && (text.front() == 's' || text.front() == 'S')) text.remove_prefix(1);
  const std::string_view sign = without_begin(text, " \t\"'");
  if (sign.empty() || (sign.front() != '=' && sign.front() != ':')) return {};
  const std::string_view word = without_begin(sign.substr(1), " \t\"'[(");
  return word.substr(0, word.find_first_of(" \t\"',;)]|=\r\n"));
}

// Words that `text` says to be units, as far as they can be meant.
void find_units(std::string_view text, const FigureUnit& wanted, std::vector<UnitBeside>& found) {
  constexpr std::string_view kUnit = "unit";
  const std::string small = base::in_small_letters(text);
  for (std::size_t at = small.find(kUnit); at != std::string::npos;
       at = small.find(kUnit, at + kUnit.size())) {
    const UnitBeside unit = UnitBeside::of_word(word_behind_unit(text.substr(at + kUnit.size())));
    const bool fits = unit.unit != nullptr && wanted.fits(*unit.unit);
    if (fits || search::looks_like_unit(unit.unknown)) found.push_back(unit);
  }
}

std::string_view word_of(const UnitBeside& unit) {
  return unit.unit != nullptr ? unit.unit->name : unit.unknown;
}

}  // namespace

UnitBeside label_unit(std::string_view before, std::string_view behind, const FigureUnit& wanted) {
  if (const UnitBeside own = unit_of_label(before, wanted); !says_none(own)) return own;
  std::vector<UnitBeside> found;
  find_units(behind, wanted, found);
  find_units(before, wanted, found);
  const UnitBeside* known = nullptr;
  for (const UnitBeside& unit : found) {
    if (unit.unit == nullptr) continue;
    if (known != nullptr && (known->unit != unit.unit || known->of_one != unit.of_one)) {
      throw FigureError("a figure of " + base::in_quotes(wanted.objective()) +
                        " stands in a line that has the units " + base::in_quotes(word_of(*known)) +
                        " and " + base::in_quotes(word_of(unit)) +
                        ": print the unit behind the number, 900 us");
    }
    known = &unit;
  }
  if (known != nullptr) return *known;
  return found.size() == 1 ? found.front() : UnitBeside{};
}

}  // namespace nightshift::evaluator
