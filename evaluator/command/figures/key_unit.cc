#include "evaluator/command/figures/key_unit.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "evaluator/command/figures/figure_error.h"
#include "search/figures/rate_words.h"

namespace nightshift::evaluator {
namespace {

using search::Dimension;
using search::Unit;
using search::UnitBeside;

bool is_statistic(std::string_view word) {
  constexpr std::array<std::string_view, 15> kWords = {
      "mean", "avg",   "average", "median", "min", "max",   "best", "worst",
      "std",  "stdev", "stddev",  "total",  "sum", "least", "most"};
  const bool is_percentile = word.size() > 1 && word[0] == 'p' &&
                             std::all_of(word.begin() + 1, word.end(), base::is_digit);
  return is_percentile || std::ranges::find(kWords, word) != kWords.end();
}

bool is_line(char c) { return c == '_' || c == '-' || c == ' ' || c == '.'; }

// What is behind the last line of `text`, without it.
std::string_view last_word(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && !is_line(text[begin - 1])) --begin;
  return text.substr(begin);
}

// What is before the last line of `text`; nothing where it has none.
std::string_view before_last_word(std::string_view text) {
  text.remove_suffix(last_word(text).size());
  while (!text.empty() && is_line(text.back())) text.remove_suffix(1);
  return text;
}

// Units that we do not know, as keys end with them. Not "clock", "ticks" and "bit", which may be
// what the figure is of.
bool is_foreign(std::string_view word) {
  constexpr std::array<std::string_view, 18> kWords = {
      "ps",   "fs",   "cycles", "kcycles", "mcycles", "gcycles", "days", "weeks", "bits",
      "kbit", "mbit", "gbit",   "kbits",   "mbits",   "gbits",   "wh",   "kwh",   "mwh"};
  return std::ranges::find(kWords, base::in_small_letters(word)) != kWords.end();
}

// "Mb" and "Gbps", in letters that say bits.
bool is_of_bits(std::string_view word) {
  if (word.ends_with("ps")) word.remove_suffix(2);
  return word.size() == 2 && word[1] == 'b' && std::string_view("KMGT").find(word[0]) < 4;
}

// "gb" of "gbps", whose "b" may be bits or bytes; empty for another word.
std::string_view stem_of_rate(std::string_view word) {
  constexpr std::string_view kPerSecond = "ps";
  const std::string_view stem =
      word.substr(0, word.size() - std::min(word.size(), kPerSecond.size()));
  const bool is_rate = base::in_small_letters(word).ends_with(kPerSecond) && stem.size() > 1;
  const Unit* unit = is_rate ? search::find_unit_in_any_case(stem) : nullptr;
  return unit != nullptr && unit->dimension == Dimension::kBytes ? stem : std::string_view();
}

UnitBeside known(const Unit& unit, std::string_view word) {
  return {.unit = &unit, .of_one = search::is_of_one_operation(word)};
}

// Of "GBps" and "gbps".
UnitBeside rate_in(std::string_view word, std::string_view stem, const FigureUnit& wanted) {
  const Unit* bytes = search::find_unit_in_any_case(stem);
  if (stem.back() == 'B') return {.unit = search::find_unit(std::string(bytes->name) + "/s")};
  const bool is_same =
      base::in_small_letters(wanted.word()).starts_with(base::in_small_letters(stem)) &&
      wanted.word().size() > stem.size();
  return is_same ? UnitBeside{} : UnitBeside{.unknown = word};
}

// Of one word of a key, or of two as "bytes/second".
UnitBeside unit_of_word(std::string_view word, const FigureUnit& wanted) {
  const bool is_own = base::in_small_letters(word) == base::in_small_letters(wanted.word());
  if (word == wanted.word() || (is_own && !wanted.is_given())) {
    const Unit* own = search::find_unit(word);
    return own != nullptr ? known(*own, word) : UnitBeside{};
  }
  if (word == "min" || word == "MIN" || word == "Min") return {};
  if (is_foreign(word) || is_of_bits(word)) return {.unknown = word};
  if (const std::string_view stem = stem_of_rate(word); !stem.empty())
    return rate_in(word, stem, wanted);
  const Unit* unit = search::find_unit_in_any_case(word);
  if (unit == nullptr) return {};
  if (word.size() > 1) return known(*unit, word);
  const bool is_fitting_letter =
      wanted.is_given() && wanted.fits(*unit) &&
      (unit->dimension == Dimension::kPower || unit->dimension == Dimension::kEnergy);
  const bool may_be = word == "s" ? !wanted.is_given() || wanted.fits(*unit) : is_fitting_letter;
  return may_be ? known(*unit, word) : UnitBeside{};
}

// "bytes/second" of "bytes_per_second", "gb/s" of "gb_s"; "bits" of "bits_per_second"; else the
// last word. `rate` holds what is put together.
std::string_view last_unit_word(std::string_view key, std::string& rate) {
  const std::string_view word = last_word(key);
  std::string_view over = before_last_word(key);
  const bool has_per = base::in_small_letters(last_word(over)) == "per";
  if (has_per) over = before_last_word(over);
  const std::string_view amount = last_word(over);
  const Unit* second = search::find_unit_in_any_case(word);
  const bool is_of_time = second != nullptr && second->dimension == Dimension::kTime;
  if (is_of_time && (is_foreign(amount) || is_of_bits(amount))) return amount;
  const Unit* bytes = search::find_unit_in_any_case(amount);
  const bool is_rate = second != nullptr && second->name == "s" && bytes != nullptr &&
                       bytes->dimension == Dimension::kBytes && amount.size() > 1;
  if (!is_rate && !has_per) return word;
  rate = is_rate ? std::string(bytes->name) + "/s" : std::string(amount) + "/" + std::string(word);
  return rate;
}

// "KiB" of "memoryKiB" and "Us" of "timeUs": a capital behind a small letter begins a word.
std::string_view capital_word(std::string_view key) {
  constexpr std::size_t kLongest = 40;
  for (std::size_t i = std::max<std::size_t>(key.size(), kLongest + 1) - kLongest; i < key.size();
       ++i) {
    const auto is_before = [](char c) { return (c >= 'a' && c <= 'z') || base::is_digit(c); };
    const bool begins = key[i] >= 'A' && key[i] <= 'Z' && is_before(key[i - 1]);
    if (!begins) continue;
    const std::string_view word = key.substr(i);
    const bool is_unit = word.size() > 1 && (search::find_unit_in_any_case(word) != nullptr ||
                                             !stem_of_rate(word).empty() || is_of_bits(word));
    if (is_unit || word == "S") return word;
  }
  return {};
}

// "timeUs" of "timeUs_p95", "timeUsMean" and "timeUsP95".
std::string_view without_statistics(std::string_view key) {
  for (;;) {
    const std::string_view word = last_word(key);
    const std::size_t capital = word.find_last_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (capital != std::string_view::npos && capital > 0 &&
        is_statistic(base::in_small_letters(word.substr(capital)))) {
      key.remove_suffix(word.size() - capital);
    } else if (!before_last_word(key).empty() && is_statistic(base::in_small_letters(word))) {
      key = before_last_word(key);
    } else {
      return key;
    }
  }
}

bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

// "ns_per_op" of "nsPerOp", "time_ns_per_op" of "timeNsPerOp"; empty for another key.
std::string with_lines_at_per(std::string_view key) {
  constexpr std::string_view kPer = "Per";
  const std::size_t at = key.rfind(kPer);
  const std::size_t behind = at + kPer.size();
  const bool is_word = at != std::string_view::npos && at > 0 && behind < key.size() &&
                       (is_small(key[at - 1]) || base::is_digit(key[at - 1])) &&
                       is_capital(key[behind]);
  if (!is_word) return {};
  std::string apart(key.substr(0, at));
  const std::string capital(capital_word(apart));
  if (const Unit* unit = search::find_unit_in_any_case(capital); unit != nullptr) {
    apart.replace(apart.size() - capital.size(), capital.size(), "_" + std::string(unit->name));
  }
  return apart + "_per_" + base::in_small_letters(key.substr(behind));
}

// "us" of "p50us"; of "top10ms" it may be what the ten are of.
std::string_view behind_percentile(std::string_view word) {
  std::size_t digits = 1;
  while (digits < word.size() && base::is_digit(word[digits])) ++digits;
  const bool is_percentile = digits > 1 && (word.front() == 'p' || word.front() == 'P');
  const std::string_view rest = word.substr(is_percentile ? digits : word.size());
  const Unit* unit = rest.size() > 1 ? search::find_unit(rest) : nullptr;
  return unit != nullptr && unit->dimension == Dimension::kTime ? rest : std::string_view();
}

UnitBeside at_end(std::string_view key, const FigureUnit& wanted) {
  if (key.ends_with(')') || key.ends_with(']')) return search::unit_before(key);
  if (const std::string apart = with_lines_at_per(key); !apart.empty()) {
    UnitBeside found = at_end(apart, wanted);
    if (!found.unknown.empty()) found.unknown = key;  // `apart` does not outlive this
    return found;
  }
  const std::string_view word = last_word(without_statistics(key));
  if (const std::string_view unit = behind_percentile(word); !unit.empty())
    return unit_of_word(unit, wanted);
  if (const std::string_view capital = capital_word(word); !capital.empty()) {
    return capital == "S" ? unit_of_word("s", wanted) : unit_of_word(capital, wanted);
  }
  if (before_last_word(without_statistics(key)).empty()) {
    // The whole key: a unit that is no single letter, and no count.
    const bool may_be = word.size() > 1 && base::in_small_letters(word) != "flops";
    return may_be && wanted.is_given() ? unit_of_word(word, wanted) : UnitBeside{};
  }
  std::string rate;
  const std::string_view of_two = last_unit_word(without_statistics(key), rate);
  const UnitBeside found = unit_of_word(of_two, wanted);
  // What is put together here does not outlive this.
  return found.unknown.empty() || of_two.data() != rate.data() ? found
                                                               : UnitBeside{.unknown = word};
}

}  // namespace

bool is_of_several_words(std::string_view name) {
  if (search::find_unit(name) != nullptr) return false;  // "MiB"
  const auto begins = [](char before, char c) {
    return is_capital(c) && (is_small(before) || base::is_digit(before));
  };
  const auto* const capital = std::ranges::adjacent_find(name, begins);
  return name.find('_') != std::string_view::npos || capital != name.end() ||
         !behind_percentile(name).empty();
}

search::UnitBeside unit_of_key(std::string_view key, const FigureUnit& wanted) {
  const UnitBeside found = at_end(key, wanted);
  const bool is_time = found.unit != nullptr && found.unit->dimension == Dimension::kTime;
  // "tokens_s" and "itemsPerSecond" are in no seconds.
  if (is_time && search::tendency_of(key) == search::Tendency::kRate) return {};
  if (wanted.is_given()) return found;
  if (wanted.word().empty()) return is_time && key != wanted.objective() ? found : UnitBeside{};
  // "frames_sec" of an objective in frames/s.
  const bool may_be_rate =
      is_time && found.unit->name == "s" && wanted.word().find('/') != std::string::npos;
  return is_time && !may_be_rate && key != wanted.objective() ? found : UnitBeside{};
}

void expect_fitting(const search::UnitBeside& of_key, std::string_view key,
                    const FigureUnit& wanted) {
  const bool is_known = of_key.unit != nullptr;
  if ((!is_known && of_key.unknown.empty()) || wanted.word().empty()) return;
  if (is_known && wanted.is_given() && wanted.fits(*of_key.unit)) return;
  const std::string_view word = is_known ? of_key.unit->name : of_key.unknown;
  throw FigureError(base::in_quotes(key) + " is in " + base::in_quotes(word) +
                    " by the end of its name, and the objective " +
                    base::in_quotes(wanted.objective()) + " in " + base::in_quotes(wanted.word()) +
                    ": correct the objective's unit, which takes figures as they are where it is "
                    "the same word, or the key; where the name says something else, print the "
                    "unit beside the figure as " +
                    base::in_quotes(std::string(key) + "_unit"));
}

}  // namespace nightshift::evaluator
