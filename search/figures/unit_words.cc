#include "search/figures/unit_words.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "search/figures/rate_words.h"
#include "search/unit.h"

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
    "hundred"sv, "thousand"sv, "million"sv, "billion"sv, "trillion"sv, "mln"sv, "dozen"sv, "kilo"sv,
    "mega"sv, "giga"sv, "tera"sv};
// Of numbers that are read as they are: "900 Ki".
constexpr std::array kPrefixesAlone = {"Ki"sv, "Mi"sv, "Gi"sv, "Ti"sv, "Pi"sv, "Ei"sv};
// Told by case, as their prefixes are. Not "pm", which is a time of the day.
constexpr std::array kSiSymbols = {"A"sv,  "V"sv,   "m"sv,  "g"sv,   "N"sv,  "Pa"sv,
                                   "F"sv,  "T"sv,   "K"sv,  "L"sv,   "l"sv,  "mol"sv,
                                   "eV"sv, "bar"sv, "cd"sv, "ohm"sv, "Ah"sv, "\u03a9"sv};
constexpr std::array kSiPrefixes = {"n"sv, "u"sv, "\u00b5"sv, "\u03bc"sv,
                                    "m"sv, "k"sv, "M"sv,      "G"sv};
// What else ends so is a unit as well: "parsec", "gigahertz".
constexpr std::array kTails = {"second"sv, "sec"sv,  "minute"sv, "hour"sv, "byte"sv,
                               "joule"sv,  "watt"sv, "flop"sv,   "hertz"sv};

bool is_rate(std::string_view word) {
  const std::size_t slash = word.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view over = word.substr(0, slash);
  const Unit* under = find_unit(word.substr(slash + 1));
  return find_unit(over) != nullptr || (over.size() > 1 && looks_like_unit(over)) ||
         (under != nullptr && under->dimension == Dimension::kTime);
}

}  // namespace

std::string_view unit_word_at(std::string_view text) {
  const auto* const found = std::ranges::find_if_not(text, is_of_unit_word);
  std::string_view word(text.begin(), static_cast<std::size_t>(found - text.begin()));
  while (word.size() > 1 && word.back() == '/') word.remove_suffix(1);  // "us/3"
  return word;
}

bool is_without_dimension(std::string_view word) {
  return word == "x" || word == "X" || word == "%" || word == "percent" || word == "\u00d7";
}

bool is_share(std::string_view word) { return word == "%" || word == "percent"; }

std::string_view prefixed_symbol(std::string_view word) {
  for (const std::string_view prefix : kSiPrefixes) {
    if (!word.starts_with(prefix) || find_unit(word) != nullptr) continue;
    const std::string_view symbol = word.substr(prefix.size());
    if (std::ranges::find(kSiSymbols, symbol) != kSiSymbols.end()) return symbol;
  }
  return {};
}

bool looks_like_unit(std::string_view word) {
  if (word.empty()) return false;
  if (find_unit(word) != nullptr || is_rate(word) || !prefixed_symbol(word).empty()) return true;
  if (std::ranges::find(kPrefixesAlone, word) != kPrefixesAlone.end()) return true;
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
  return find_unit_in_any_case(letters) != nullptr || is_unit_of_rate(word) ||
         std::ranges::find(kForeign, letters) != kForeign.end() ||
         std::ranges::find(kForeign, singular) != kForeign.end() ||
         std::ranges::any_of(kTails, [&](std::string_view tail) {
           return singular.ends_with(tail) || letters.ends_with(tail);
         });
}

}  // namespace nightshift::search
