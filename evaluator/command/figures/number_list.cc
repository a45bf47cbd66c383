#include "evaluator/command/figures/number_list.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/text.h"
#include "search/figures/number_text.h"
#include "search/figures/unit_words.h"

namespace nightshift::evaluator {
namespace {

using namespace std::string_view_literals;
using search::UnitBeside;

bool takes(std::string_view& text, std::string_view sign) {
  if (!text.starts_with(sign)) return false;
  text = search::without_blanks(text.substr(sign.size()));
  return true;
}

bool takes_any(std::string_view& text, const auto& signs) {
  return std::ranges::any_of(signs, [&](std::string_view sign) { return takes(text, sign); });
}

// "sd=" and "error: ", and "vs" and "to" between two numbers.
bool takes_word(std::string_view& text) {
  constexpr std::array kErrors = {"sd"sv,  "std"sv, "stdev"sv, "stddev"sv, "sem"sv,  "se"sv,
                                  "err"sv, "mad"sv, "error"sv, "iqr"sv,    "sigma"sv};
  constexpr std::array kBetween = {"vs"sv, "versus"sv, "to"sv};
  const std::string_view word = search::unit_word_at(text);
  const std::string small = base::in_small_letters(word);
  const bool is_error = std::ranges::find(kErrors, small) != kErrors.end();
  if (!is_error && std::ranges::find(kBetween, small) == kBetween.end()) return false;
  text = search::without_blanks(text.substr(word.size()));
  if (is_error) takes_any(text, std::array{"="sv, ":"sv});
  takes(text, ".");
  return true;
}

// Leaves in `text` the next number; false where something else stands before it.
bool passes_comma(std::string_view& text) {
  text = search::without_blanks(text);
  if (!text.starts_with(',') && !text.starts_with(';')) return false;
  text.remove_prefix(1);
  const std::size_t length = text.size();
  text = search::without_blanks(text);
  return text.size() < length;
}
bool passes_sign(std::string_view& text) {
  constexpr std::array kSigns = {"|"sv,      "\u2502"sv, "\u2503"sv, "->"sv,    "=>"sv,
                                 "\u2192"sv, "/"sv,      "~"sv,      "\u2013"sv};
  if (text.starts_with(',')) return passes_comma(text);
  const std::size_t length = text.size();
  text = search::without_blanks(text);
  while (takes_any(text, kSigns) || takes_any(text, search::kErrorSigns) || takes_word(text)) {
  }
  return text.size() < length;
}

UnitBeside unit_of_last(std::string_view behind, const FigureUnit& unit,
                        bool (*passes)(std::string_view&)) {
  while (passes(behind) && search::takes_number(behind)) {
    const UnitBeside own = search::unit_behind(behind);
    if (own.unit != nullptr) return unit.fits(*own.unit) ? own : UnitBeside{};
    if (!own.unknown.empty() || !own.more.empty()) return {};
  }
  return {};
}

}  // namespace

UnitBeside unit_of_list(std::string_view behind, const FigureUnit& unit) {
  return unit_of_last(behind, unit, passes_comma);
}

UnitBeside unit_of_row(std::string_view behind, const FigureUnit& unit) {
  return unit.is_given() ? unit_of_last(behind, unit, passes_sign) : UnitBeside{};
}

}  // namespace nightshift::evaluator
