#include "evaluator/command/figures/unit_lines.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "base/text.h"
#include "evaluator/command/figures/figure_error.h"
#include "evaluator/command/figures/figure_label.h"
#include "evaluator/command/figures/label_unit.h"
#include "search/figures/rate_words.h"

namespace nightshift::evaluator {
namespace {

using namespace std::string_view_literals;
using search::UnitBeside;

bool says_any(const UnitBeside& unit) { return unit.unit != nullptr || !unit.unknown.empty(); }

bool has_digit(std::string_view text) { return std::ranges::any_of(text, base::is_digit); }

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kBetween = " \t\r,;|\"'*";
  std::vector<std::string_view> words;
  for (std::size_t begin = line.find_first_not_of(kBetween); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBetween, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBetween, end);
  }
  return words;
}

std::string_view without_brackets(std::string_view word) {
  const bool is_bracketed = word.size() > 2 && (word.front() == '(' || word.front() == '[') &&
                            (word.back() == ')' || word.back() == ']');
  return is_bracketed ? word.substr(1, word.size() - 2) : word;
}

bool is_one_of(std::string_view word, const auto& words) {
  constexpr std::string_view kAround = "([.:)]";
  const std::size_t begin = std::min(word.find_first_not_of(kAround), word.size());
  const std::string small = base::in_small_letters(word.substr(begin));
  return std::ranges::find(words, small) != words.end();
}

// "microseconds." of "All times are in microseconds.", where nothing but the end of a sentence or of
// a bracket is behind it.
UnitBeside unit_in_sentence(const std::vector<std::string_view>& words) {
  constexpr std::array kNouns = {"time"sv,    "times"sv,     "timing"sv,       "timings"sv,
                                 "latency"sv, "latencies"sv, "duration"sv,     "durations"sv,
                                 "runtime"sv, "runtimes"sv,  "delay"sv,        "delays"sv,
                                 "value"sv,   "values"sv,    "figures"sv,      "numbers"sv,
                                 "results"sv, "units"sv,     "measurements"sv, "columns"sv};
  constexpr std::array kVerbs = {"is"sv,    "are"sv,      "given"sv,     "reported"sv,
                                 "shown"sv, "measured"sv, "expressed"sv, "listed"sv,
                                 "below"sv, "printed"sv};
  for (std::size_t at = 1; at + 1 < words.size(); ++at) {
    if (base::in_small_letters(words[at]) != "in") continue;
    std::size_t noun = at;
    while (noun > 1 && is_one_of(words[noun - 1], kVerbs)) --noun;
    if (!is_one_of(words[noun - 1], kNouns)) continue;
    const std::string_view word = words[at + 1];
    const std::string_view bare = word.substr(0, word.find_last_not_of(".:)]") + 1);
    const bool ends = at + 2 == words.size() || word.ends_with('.');
    const UnitBeside unit = UnitBeside::of_word(bare);
    const bool is_label = std::any_of(words.begin() + static_cast<std::ptrdiff_t>(at) + 2,
                                      words.end(), has_digit);  // "Time in us: 900"
    if (ends && !is_label && unit.unit != nullptr) return unit;
  }
  return {};
}

// Of a line that has nothing but units, of which all that can be meant are the same.
UnitBeside unit_of_units(const std::vector<std::string_view>& words, const FigureUnit& wanted) {
  UnitBeside found;
  for (const std::string_view word : words) {
    const std::string_view bare = without_brackets(word);
    const UnitBeside unit = UnitBeside::of_word(bare);
    const bool is_name =
        base::in_small_letters(bare) == "min" || (bare.size() == 1 && bare.size() == word.size());
    if (unit.unit == nullptr || is_name) return {};
    if (!wanted.fits(*unit.unit)) continue;
    if (found.unit != nullptr && found.unit != unit.unit) return {};
    found = unit;
  }
  return found;
}

// "name    time in us" are heads, each of its own column.
bool has_columns(std::string_view line) {
  line = base::trimmed(line);
  return line.find("  ") != std::string_view::npos ||
         line.find_first_of("\t|") != std::string_view::npos;
}

UnitBeside unit_said_in(std::string_view line, const FigureUnit& wanted) {
  if (const UnitBeside named = named_unit(line, wanted); says_any(named)) return named;
  if (!wanted.is_given()) return {};
  const std::vector<std::string_view> words = words_of(line);
  const UnitBeside in_sentence = has_columns(line) ? UnitBeside{} : unit_in_sentence(words);
  if (in_sentence.unit != nullptr && wanted.fits(*in_sentence.unit)) return in_sentence;
  return has_digit(line) ? UnitBeside{} : unit_of_units(words, wanted);
}

// Of "  - time" and "    unit" in a block the same.
std::size_t indentation(std::string_view line) {
  return std::min(line.find_first_not_of(" \t-"), line.size());
}
// "time" of "  time : 900"; empty where the line is no member.
std::string_view member_name(std::string_view line) {
  const std::size_t sign = line.find_first_of(":=");
  if (sign == std::string_view::npos) return {};
  const std::string_view name = base::trimmed(line.substr(indentation(line)));
  return base::trimmed(name.substr(0, name.find_first_of(":=")));
}

UnitBeside unit_below(std::string_view before, std::string_view below, const FigureUnit& wanted) {
  constexpr int kMostLines = 32;
  const std::string_view name = member_name(before);
  for (int i = 0; i < kMostLines && !below.empty(); ++i) {
    const std::string_view line = below.substr(0, below.find('\n'));
    below.remove_prefix(std::min(line.size() + 1, below.size()));
    const bool ends = base::trimmed(line).empty() || indentation(line) < indentation(before) ||
                      member_name(line) == name;
    if (ends) return {};
    if (indentation(line) > indentation(before)) continue;
    if (const UnitBeside unit = named_unit(line, wanted); says_any(unit)) return unit;
  }
  return {};
}

// Of a member alone whose name leaves open what it is, where the objective leaves it open as well.
bool may_be_meant(std::string_view before, const FigureUnit& wanted) {
  if (wanted.is_given()) return true;
  if (!wanted.word().empty() || wanted.takes_rates()) return false;
  const std::string_view name = member_name(before);
  return name.empty() || search::is_of_statistics(name) ||
         search::tendency_of(name) == search::Tendency::kCost;
}

}  // namespace

void UnitLines::pass(std::string_view line, const FigureUnit& wanted) {
  if (base::trimmed(line).empty()) {
    if (any_number_ && !is_of_all_) above_ = {};
    return;
  }
  const UnitBeside said = unit_said_in(line, wanted);
  if (says_any(said)) {
    above_ = said;
    any_number_ = false;
    constexpr std::array kAll = {"all"sv, "every"sv};
    is_of_all_ = std::ranges::any_of(words_of(line),
                                     [&](std::string_view word) { return is_one_of(word, kAll); });
  } else {
    any_number_ = any_number_ || has_digit(line);
  }
}

UnitBeside UnitLines::unit_of(std::string_view before, std::string_view below,
                              const FigureUnit& wanted) {
  if (!may_be_meant(before, wanted)) return {};
  const UnitBeside other =
      member_name(before).empty() ? UnitBeside{} : unit_below(before, below, wanted);
  if (!says_any(other)) return above_;
  if (says_any(above_) && above_.unit != other.unit && !stand_below_) {
    throw FigureError("a figure of " + base::in_quotes(wanted.objective()) +
                      " stands between lines that say two units of it, the one below " +
                      base::in_quotes(other.unit != nullptr ? other.unit->name : other.unknown) +
                      ": print the unit behind the number, 900 us");
  }
  stand_below_ = true;
  return other;
}

}  // namespace nightshift::evaluator
