#pragma once

#include <string>
#include <string_view>

#include "search/objective.h"
#include "search/unit.h"

namespace nightshift::evaluator {

// Converts the figures of one objective from the units that a program names into the objective's.
//
// An objective without a unit that we know has the first one that the program names in this
// process: figures in another one of its dimension are converted, all others are errors, so that
// numbers of two units are never compared.
class FigureUnit {
 public:
  FigureUnit() = default;
  explicit FigureUnit(const search::Objective& objective);

  // `named`: what the program says that the number is in; nullptr where it says nothing. Throws
  // FigureError.
  double converted(double number, const search::Unit* named);
  bool is_given() const { return own_ != nullptr; }
  // Whether the program's `named` could be meant.
  bool fits(const search::Unit& named) const;

 private:
  std::string name_;
  const search::Unit* own_ = nullptr;    // the objective's
  const search::Unit* first_ = nullptr;  // where it has none, the program's
  bool bare_ = false;                    // a number came without one
};

// A number with or without a unit behind it: "900", "900 us". Throws FigureError where `text` is
// something else; `what` begins the sentence.
double figure_of(std::string_view text, FigureUnit& unit, const std::string& what);

}  // namespace nightshift::evaluator
