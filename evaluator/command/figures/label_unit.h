#pragma once

#include <string_view>

#include "evaluator/command/figures/figure_unit.h"
#include "search/unit_beside.h"

namespace nightshift::evaluator {

// The unit that a line tells of its number elsewhere than behind it or in what was matched; the
// number stands between `before` and `behind`, the rest of the line on both sides.
//
// First that of the number's label: in brackets, "time (us): ", or at the end of its name,
// "time_us=", also where both are cells: "time (us)",5. Then that of a word "unit", "units" or one
// that ends so, before '=' or ':': "time=900 unit=us". Only such words count as the objective's
// figures can be in; a word that looks like a unit and is none that we know counts where it is the
// only one. Throws FigureError where two such words of a line differ, since either may be meant.
search::UnitBeside label_unit(std::string_view before, std::string_view behind,
                              const FigureUnit& wanted);

// The unit that a line without a number names by such a word, for figures in other lines: "Unit:
// microseconds". None where it names several.
search::UnitBeside named_unit(std::string_view line, const FigureUnit& wanted);

// Throws FigureError where the number's label, or a word "unit" between which and the number no
// other number stands, says another unit of it than `unit`, which stands at the number itself:
// "time_us=5 ms" and "time=5us unit=ms".
void expect_label_agrees(const search::UnitBeside& unit, std::string_view before,
                         std::string_view behind, const FigureUnit& wanted);

}  // namespace nightshift::evaluator
