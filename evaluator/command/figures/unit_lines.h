#pragma once

#include <string_view>

#include "evaluator/command/figures/figure_unit.h"
#include "search/unit_beside.h"

namespace nightshift::evaluator {

// Units that lines say of figures in other lines: "Unit: microseconds" and "Times in us." above a
// table, a line of units below its heads, "          (us)", and "unit: us" above or below "time: 900"
// in a block of members with one indentation.
//
// What is said above holds for the lines up to the blank line behind the next numbers, so that each
// table has its own; "All times in us" holds to the end. The text that lines are of outlives the
// object.
class UnitLines {
 public:
  // The next line of the output, behind the figures in it.
  void pass(std::string_view line, const FigureUnit& wanted);
  // Of a number that nothing in its line gives a unit, behind `before` there; `below` is what is
  // behind the line. Throws FigureError where lines above and below say two units of it.
  search::UnitBeside unit_of(std::string_view before, std::string_view below,
                             const FigureUnit& wanted);

 private:
  search::UnitBeside above_;
  bool is_of_all_ = false, any_number_ = false;
  bool stand_below_ = false;  // as they did for a figure before
};

}  // namespace nightshift::evaluator
