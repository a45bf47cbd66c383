#include "evaluator/command/figures/figure_unit.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/text.h"
#include "evaluator/command/figures/figure_error.h"
#include "search/figures/counted_word.h"
#include "search/figures/joined_numbers.h"
#include "search/figures/number_text.h"
#include "search/figures/scaled_unit.h"
#include "search/figures/stray_unit.h"
#include "search/figures/unit_words.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

std::string_view usual_unit(search::Dimension dimension) {
  switch (dimension) {
    case search::Dimension::kTime:
      return "ms";
    case search::Dimension::kBytes:
      return "B";
    case search::Dimension::kByteRate:
      return "GB/s";
    case search::Dimension::kFlopRate:
      return "GFLOP/s";
    case search::Dimension::kFrequency:
      return "Hz";
    case search::Dimension::kEnergy:
      return "J";
    case search::Dimension::kPower:
      return "W";
  }
  std::abort();
}

// The word that a text ends with: "us" of " +- 0.1 us", of "+-3us" and of "us (+- 3 us)".
std::string_view last_word(std::string_view text) {
  text = base::trimmed(text);
  while (text.ends_with(')') || text.ends_with(']')) text.remove_suffix(1);
  const std::size_t at = text.find_last_of(" \t,;)0123456789.");
  return at == std::string_view::npos ? text : text.substr(at + 1);
}

// Whether a text may go on so behind its unit: with an error, or with a remark in brackets.
bool is_remark(std::string_view text) {
  text = base::trimmed(text);
  if (text.empty()) return true;
  // Not of another figure: "1 ms, 900 ms".
  if (text.front() == ',') return text.find_first_of("0123456789") == std::string_view::npos;
  if (text.front() == '(' || text.front() == '[') return true;
  return std::ranges::any_of(search::kErrorSigns,
                             [&](std::string_view sign) { return text.starts_with(sign); });
}

// Of what stands behind the number of a text: a unit, and nothing else but an error or a comma.
search::UnitBeside unit_in_text(std::string_view rest) {
  const search::UnitBeside word = search::UnitBeside::of_word(rest);
  if (word.unit != nullptr || word.unknown.empty()) return word;
  const search::UnitBeside behind = search::unit_behind(rest);
  if (!behind.more.empty() || behind.count != 1) return behind;
  const bool ends = behind.unit != nullptr && search::find_unit(last_word(rest)) == behind.unit;
  if (!ends) return word;
  const std::string_view text = base::trimmed(rest);
  const std::string_view first = text.substr(0, text.find_first_of(" \t,;([+\xc2"));
  const bool is_behind = search::find_unit(first) == behind.unit;
  return !is_behind || is_remark(text.substr(first.size())) ? behind : word;
}

// Refuses "9 * 2 ns" and "9 to 11 ns", which begin with a number of several.
void expect_one_number(std::string_view text) {
  const std::vector<search::JoinedNumbers> joined = search::joined_numbers(text);
  if (joined.empty()) return;
  const char* const begin = text.data() + std::min(text.find_first_of("0123456789."), text.size());
  if (joined.front().all.data() != begin) return;
  throw FigureError("it is " + base::in_quotes(joined.front().all) +
                    ", of which no number is the figure: print one number");
}

bool is_rate(const search::Unit& unit) {
  return search::tendency_of(unit.name) == search::Tendency::kRate;
}

// What has to be so high has been told to be no cost.
bool may_be_rate(const search::Objective& objective) {
  return objective.direction == search::Direction::kMaximise ||
         search::is_of_more(search::tendency_of(objective.unit)) ||
         (objective.at_least && !objective.weight);
}

bool is_usual(const std::string& name, const std::string& word) {
  const search::Objective usual;
  return name == usual.name && word == usual.unit;
}

std::string name_it(const std::string& objective) {
  return "; give the objective " + base::in_quotes(objective) +
         " a unit, into which figures are then converted";
}

}  // namespace

FigureUnit::FigureUnit(const search::Objective& objective, bool is_told)
    : name_(objective.name),
      word_(objective.unit),
      own_(search::find_unit(objective.unit)),
      takes_rates_(may_be_rate(objective)),
      takes_scores_(takes_rates_ || search::is_of_more(search::tendency_of(objective.name))),
      is_told_(is_told) {
  if (objective.at_least) held_against_ = "at_least = " + search::to_text(*objective.at_least);
  if (objective.at_most) held_against_ = "at_most = " + search::to_text(*objective.at_most);
}

void FigureUnit::refuse_rate(std::string_view words) const {
  throw FigureError(
      "a figure of " + base::in_quotes(name_) + " is a rate, as " +
      base::in_quotes(base::trimmed(words)) +
      " says, of which more is better, and the objective is minimised: give it direction = "
      "\"maximise\", and as its unit the rate's or \"\" (compare: --higher-is-better); where less "
      "is better, both direction = \"minimise\" and the rate's unit, as unit = \"req/s\" (compare: "
      "--lower-is-better --metric-unit req/s)");
}

void FigureUnit::expect_taken(search::Tendency tendency, std::string_view words) const {
  if (tendency == search::Tendency::kRate && !takes_rates_) refuse_rate(words);
  if (tendency != search::Tendency::kScore || takes_scores_) return;
  throw FigureError("of a figure of " + base::in_quotes(name_) + " more is better as a rule, as " +
                    base::in_quotes(base::trimmed(words)) +
                    " says, and the objective is minimised: give it direction = \"maximise\" and "
                    "unit = \"\" (compare: --higher-is-better); where less is better, both "
                    "direction = \"minimise\" and unit = \"score\" (compare: --lower-is-better "
                    "--metric-unit score)");
}

bool FigureUnit::is_assumed() const { return !takes_rates_ && !is_told_ && is_usual(name_, word_); }

void FigureUnit::expect_told(std::string_view line) const {
  if (!is_assumed()) return;
  throw FigureError(
      "the line " + base::in_quotes(base::trimmed(line)) +
      " has several numbers and no word, so that nothing says what the figure of " +
      base::in_quotes(name_) +
      " is in, or whether it is a rate: print its unit behind it, or write into the problem file "
      "what it is, under [[objective]] name = \"latency\" and unit = \"us\", or of a rate name = "
      "\"bandwidth\", unit = \"MB/s\" and direction = \"maximise\"; \"time\" in \"ms\" is what "
      "holds where a file says no unit (compare: --metric-unit us; --metric-unit MB/s "
      "--higher-is-better)");
}

std::string_view FigureUnit::told() const {
  return first_ != nullptr ? usual_unit(first_->dimension) : std::string_view();
}

bool FigureUnit::fits(const search::Unit& named) const {
  const search::Unit* wanted = own_ != nullptr ? own_ : first_;
  return wanted == nullptr || wanted->dimension == named.dimension;
}

void FigureUnit::expect_same_count(const search::UnitBeside& beside) {
  if (beside.unit == nullptr) return;
  if (!of_one_) of_one_ = beside.of_one;
  if (*of_one_ == beside.of_one) return;
  const auto words = [](bool of_one) { return of_one ? "of one operation" : "of all operations"; };
  throw FigureError("a figure of " + base::in_quotes(name_) + " is " + words(beside.of_one) +
                    " by its unit, and an earlier one " + words(*of_one_) +
                    ": print one of the two always");
}

// An objective in "%" has numbers alone in it as well.
std::string_view FigureUnit::scale_of(const search::UnitBeside& beside) const {
  const std::string_view word = beside.unknown.empty() ? beside.counted : beside.unknown;
  if (!search::is_without_dimension(word)) return beside.counted;
  return search::is_without_dimension(word_) ? "" : search::scale_of_sign(word);
}

void FigureUnit::expect_same_scale(const search::UnitBeside& beside) {
  if (beside.unit != nullptr) return;
  const std::string_view scale = scale_of(beside);
  const auto expect_none_else = [&](std::string_view other, const char* whose) {
    if (!search::differ_in_scale(scale, other)) return;
    throw FigureError("a figure of " + base::in_quotes(name_) + " is " + search::in_words(scale) +
                      whose + search::in_words(other) + ": print all of them by one scale");
  };
  const bool is_counted = !scale.empty() && !search::is_share(scale);
  if (own_ == nullptr && is_counted && !search::is_share(word_))
    expect_none_else(word_, ", and the objective ");
  if (has_scale_) expect_none_else(counted_, ", and an earlier one ");
  if (counted_.empty()) counted_ = scale;
  has_scale_ = true;
}

bool FigureUnit::is_own(std::string_view word) const {
  const bool is_other_sign =
      search::is_without_dimension(word_) && search::is_share(word) != search::is_share(word_);
  return word == word_ ||
         (own_ == nullptr && base::in_small_letters(word) == base::in_small_letters(name_)) ||
         (own_ == nullptr && search::is_without_dimension(word) && !is_other_sign);
}

double FigureUnit::converted(double number, const search::UnitBeside& beside) {
  if (!beside.more.empty()) {
    throw FigureError(
        "a figure of " + base::in_quotes(name_) + " goes on behind what was read, with " +
        base::in_quotes(base::trimmed(beside.more)) + ": all of it has to be one number");
  }
  expect_same_count(beside);
  expect_same_scale(beside);
  number /= beside.count;
  if (beside.unknown.empty()) return converted(number, beside.unit);
  if (is_own(beside.unknown)) {
    const bool is_rate = search::tendency_of(beside.unknown) == search::Tendency::kRate;
    if (is_rate && !takes_rates_) refuse_rate(beside.unknown);
    return converted(number, nullptr);
  }
  constexpr std::string_view kOfNumbers = ",.'_0123456789";
  if (kOfNumbers.find(beside.unknown.front()) != std::string_view::npos &&
      search::scaling_of(beside.unknown) == search::Scaling::kNone) {
    throw FigureError("a figure of " + base::in_quotes(name_) +
                      " goes on behind what was read, with " + base::in_quotes(beside.unknown) +
                      ": print one number, without separators of thousands");
  }
  throw FigureError("a figure of " + base::in_quotes(name_) + " is in " +
                    base::in_quotes(beside.unknown) +
                    ", which is no unit that we know: print s, ms, us, ns, min or h, B to TiB, "
                    "bytes per second, FLOP/s, Hz, J or W; or, where all its figures are in it, "
                    "give the objective unit = " +
                    search::json_quoted(std::string(beside.unknown)) +
                    (search::tendency_of(beside.unknown) == search::Tendency::kRate
                         ? ", and as more of it is better, direction = \"maximise\""
                         : ""));
}

void FigureUnit::expect_no_stray(std::string_view behind) const {
  if (own_ == nullptr) return;
  const std::string_view word = search::stray_unit(behind, own_->dimension, own_->name);
  if (word.empty()) return;
  throw FigureError("a figure of " + base::in_quotes(name_) +
                    " has no unit beside it and would be taken to be in " +
                    base::in_quotes(own_->name) + ", and " + base::in_quotes(word) +
                    " stands further on in its line: give the objective that unit where all its "
                    "figures are in it, or let the expression match the line to its end where it "
                    "is another's");
}

void FigureUnit::expect_same_as_limits(const search::Unit& named) const {
  const bool is_open = word_.empty() || (!is_told_ && is_usual(name_, word_));
  if (!is_open || held_against_.empty() || usual_unit(named.dimension) == named.name) return;
  const std::string unit(named.name);
  throw FigureError("a figure of " + base::in_quotes(name_) + " is in " + base::in_quotes(unit) +
                    ", and nothing says what " + held_against_ +
                    " is in: give the objective unit = " + search::json_quoted(unit) +
                    ", or the one that this number is in");
}

void FigureUnit::expect_always_or_never(const search::Unit* named) {
  if (named == nullptr && first_ != nullptr) {
    throw FigureError("a figure of " + base::in_quotes(name_) +
                      " has no unit, and an earlier one was in " + base::in_quotes(first_->name) +
                      name_it(name_));
  }
  if (named != nullptr && bare_) {
    throw FigureError("a figure of " + base::in_quotes(name_) + " is in " +
                      base::in_quotes(named->name) + ", and an earlier one had no unit" +
                      name_it(name_));
  }
  if (named == nullptr) {
    bare_ = true;
  } else if (first_ == nullptr) {
    first_ = named;
  }
}

double FigureUnit::converted(double number, const search::Unit* named) {
  if (own_ != nullptr) {
    if (is_assumed()) expect_always_or_never(named);
    if (named == nullptr) return number;
    if (!fits(*named)) {
      throw FigureError("a figure of " + base::in_quotes(name_) + " is in " +
                        base::in_quotes(named->name) + ", and the objective in " +
                        base::in_quotes(own_->name) +
                        ": correct the objective's unit or what is read");
    }
    expect_same_as_limits(*named);
    return number * *search::conversion(named->name, own_->name);
  }
  if (named != nullptr && word_.empty() && !takes_rates_ && is_rate(*named))
    refuse_rate(named->name);
  if (named != nullptr && !word_.empty()) {
    throw FigureError("a figure of " + base::in_quotes(name_) + " is in " +
                      base::in_quotes(named->name) + ", and the objective in " +
                      base::in_quotes(word_) + ": correct the objective's unit or what is read");
  }
  expect_always_or_never(named);
  if (named == nullptr) return number;
  expect_same_as_limits(*named);
  if (!fits(*named)) {
    throw FigureError("a figure of " + base::in_quotes(name_) + " is in " +
                      base::in_quotes(named->name) + ", and an earlier one in " +
                      base::in_quotes(first_->name) + name_it(name_));
  }
  return number * *search::conversion(named->name, usual_unit(first_->dimension));
}

double figure_of(std::string_view text, FigureUnit& unit, const std::string& what) {
  const std::string copy(text);
  const std::string_view begin =
      text.substr(std::min(text.find_first_not_of(" \t+-"), text.size()));
  if (search::hexadecimal_length(begin) > 0) {
    throw FigureError(what + " " + base::in_quotes(copy) +
                      ", which is a hexadecimal number: print a decimal one");
  }
  char* stop = nullptr;
  const double number = std::strtod(copy.c_str(), &stop);
  const std::string_view rest =
      std::string_view(copy).substr(static_cast<std::size_t>(stop - copy.c_str()));
  if (stop == copy.c_str())
    throw FigureError(what + " " + base::in_quotes(copy) + ", which is no number");
  try {
    if (const auto seconds = search::seconds_in_parts(text))
      return unit.converted(*seconds, search::UnitBeside{.unit = search::find_unit("s")});
    const search::UnitBeside beside = unit_in_text(rest);
    // What it cannot be in says more.
    if (beside.unit != nullptr) expect_one_number(copy);
    return unit.converted(number, beside);
  } catch (const FigureError& e) {
    throw FigureError(what + " " + base::in_quotes(copy) + ": " + e.what());
  }
}

}  // namespace nightshift::evaluator
