#pragma once

#include "evaluator/command/figures/figure_unit.h"
#include "evaluator/command/figures/printed_object.h"
#include "search/unit_beside.h"

namespace nightshift::evaluator {

// The unit that stands beside a figure in JSON: in a member of its name with "_unit" behind it or
// under its name in "units", at the end of its name (key_unit.h), in google-benchmark's "time_unit"
// beside a time, or in "unit" or "units", as far as that can be meant where there are other
// numbers. Where there is none, the same of the objects that it is in, the nearest first, by its
// name and by theirs: of {"time": {"median": 900}, "time_unit": "us"} and {"unit": "us", "results":
// {"time": 900}}. Names of members may be in any case, "timeUnit". Throws FigureError where name
// and member of one object say different units of this figure, where the name's is not one of the
// objective's quantity, and where a member that has to be a text is none.
search::UnitBeside json_unit(const Found& found, const FigureUnit& wanted);

}  // namespace nightshift::evaluator
