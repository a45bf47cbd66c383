#pragma once

#include <string_view>

#include "evaluator/command/figures/figure_unit.h"
#include "search/unit_beside.h"

namespace nightshift::evaluator {

// The unit behind the last of several numbers, of which the one before `behind` is the first: "us"
// of the 5 in "5, 7, 9 us". None where a word stands between them, or commas without blanks, which
// divide columns.
search::UnitBeside unit_of_list(std::string_view behind, const FigureUnit& unit);

// The same where blanks, bars, arrows or signs of an error stand between them: "905 950 1100 us",
// "900 | 950 us", "900 -> 1000 us", "900 vs 1000 us", "900 -10/+20 us" and "900 sd=20 us". Of an
// objective with a unit alone: else the first may count something, as in "100  500 ns/op".
search::UnitBeside unit_of_row(std::string_view behind, const FigureUnit& unit);

}  // namespace nightshift::evaluator
