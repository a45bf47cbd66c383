#include "search/figures/scaled_unit.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/text.h"
#include "search/figures/number_text.h"
#include "search/figures/unit_words.h"
#include "search/unit.h"

namespace nightshift::search {
namespace {

using namespace std::string_view_literals;

bool takes(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text = without_blanks(text.substr(word.size()));
  return true;
}

bool takes_sign(std::string_view& text) {
  constexpr std::array kSigns = {"*"sv, "x"sv, "X"sv, "\u00d7"sv, "\u00b7"sv, "\xd7"sv};
  return std::ranges::any_of(kSigns, [&](std::string_view sign) { return takes(text, sign); });
}

// "^-6" and "**-6" behind 10.
bool takes_exponent(std::string_view& text) {
  std::string_view rest = text;
  if (!takes(rest, "^") && !takes(rest, "**")) return false;
  if (!takes_number(rest)) return false;
  text = without_blanks(rest);
  return true;
}

}  // namespace

Scaling scaling_of(std::string_view text) {
  text = base::trimmed(text);
  for (const std::string_view word : {"in "sv, "units of "sv, "unit "sv, "unit: "sv})
    takes(text, word);
  bool is_certain = takes_sign(text);
  const bool begins = !text.empty() && (base::is_digit(text.front()) || text.front() == '.');
  const std::size_t length = begins ? rest_of_number(text) : 0;
  if (length == 0) return Scaling::kNone;
  const std::string_view number = text.substr(0, length);
  text = without_blanks(text.substr(length));
  const bool is_power =
      takes_exponent(text) || number.find_first_of("eE") != std::string_view::npos;
  is_certain = is_certain || is_power;
  takes_sign(text);
  const std::string_view word = unit_word_at(text);
  if (find_unit(word) == nullptr) return Scaling::kNone;
  text = without_blanks(text.substr(word.size()));
  for (const std::string_view end : {"units"sv, "unit"sv, "ticks"sv, "tick"sv, "steps"sv, "each"sv})
    is_certain = takes(text, end) || is_certain;
  if (!text.empty()) return Scaling::kNone;
  if (is_certain) return Scaling::kUnit;
  return number == "1" ? Scaling::kOne : Scaling::kFactor;
}

}  // namespace nightshift::search
