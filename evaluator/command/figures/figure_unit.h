#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "search/figures/rate_words.h"
#include "search/objective.h"
#include "search/unit.h"
#include "search/unit_beside.h"

namespace nightshift::evaluator {

// Converts the figures of one objective from the units that a program names into the objective's.
//
// Where an objective has no unit, figures are converted into the usual one of the dimension that
// the program names first in this process (ms, B, GB/s, GFLOP/s, Hz, J, W): the same in every
// process, whatever each was told first. Another dimension, or no unit after one, is an error, so
// that numbers of two units are never compared. So is a number without a unit after one with a
// unit, and the other way round, where no file says the objective's unit. Of one operation is
// another quantity than of all: "us/op" and then "us" is an error as well. So is a number of the
// problem that figures are held against (at_most), where it may be in another unit than they. A
// unit that we do not know is one where the objective has it: then nothing is converted.
class FigureUnit {
 public:
  FigureUnit() = default;
  // `is_told`: FigureRule::unit_is_told.
  explicit FigureUnit(const search::Objective& objective, bool is_told = false);

  // `beside`: what the program says that the number is in. Throws FigureError.
  double converted(double number, const search::UnitBeside& beside);
  // `words`: a number of the problem, "given_baseline = 17", that is in the objective's unit.
  void hold_against(const std::string& words) { held_against_ = words; }
  bool is_given() const { return own_ != nullptr; }
  // What figures have been converted into where no file says the objective's unit and the program
  // named one; else empty.
  std::string_view told() const;
  // What tells the scale of figures that have no unit, the first that came; else empty.
  const std::string& counted() const { return counted_; }
  bool is_given_time() const {
    return own_ != nullptr && own_->dimension == search::Dimension::kTime;
  }
  // Whether the program's `named` could be meant.
  bool fits(const search::Unit& named) const;
  // Whether the objective may be a rate: it is maximised, or its own unit is that of one.
  bool takes_rates() const { return takes_rates_; }
  // Throws FigureError: `words` beside the figure say that it is a rate, of which more is better.
  [[noreturn]] void refuse_rate(std::string_view words) const;
  // The same where `tendency` is that of such words and the objective takes none. A score is taken
  // by an objective that is called one, too: its direction was asked for where it was read.
  void expect_taken(search::Tendency tendency, std::string_view words) const;
  // Of a number that nothing beside it gives a unit, before `behind`, the rest of its line. Throws
  // FigureError where another unit of the objective's dimension stands there by itself.
  void expect_no_stray(std::string_view behind) const;
  // Of a number in a line with others that are no figures, where no word says what they are. Throws
  // FigureError where the problem does not say what it wants either.
  void expect_told(std::string_view line) const;
  const std::string& objective() const { return name_; }
  // The objective's word for its unit, known or not.
  const std::string& word() const { return word_; }

 private:
  double converted(double number, const search::Unit* named);
  // Nobody says the objective's unit: it is what holds where a file says none.
  bool is_assumed() const;
  // Throws FigureError where the figures are in a unit and what they are held against is in none.
  void expect_same_as_limits(const search::Unit& named) const;
  void expect_always_or_never(const search::Unit* named);
  bool is_own(std::string_view word) const;
  void expect_same_count(const search::UnitBeside& beside);
  std::string_view scale_of(const search::UnitBeside& beside) const;
  void expect_same_scale(const search::UnitBeside& beside);

  std::string name_, word_;              // of the objective, and of its unit
  std::string held_against_;             // "at_most = 17"; empty: nothing
  const search::Unit* own_ = nullptr;    // the objective's
  const search::Unit* first_ = nullptr;  // where nobody said it, the program's
  bool takes_rates_ = false, takes_scores_ = false;
  bool bare_ = false;  // a number came without one
  bool is_told_ = false;
  std::optional<bool> of_one_ = {};  // whether units were of one operation, once one came
  std::string counted_ = {};         // of figures without a unit: search/figures/counted_word.h
  bool has_scale_ = false;           // one came
};

// A number with or without a unit behind it, or a time in parts: "900", "900 us", "1 s 500 ms",
// "1m23.5s" and, as clocks have it, "1:23.5" (search/figures/joined_numbers.h). Throws FigureError
// where `text` is something else or its unit cannot be meant; `what` begins the sentence.
double figure_of(std::string_view text, FigureUnit& unit, const std::string& what);

}  // namespace nightshift::evaluator
