#pragma once

#include <vector>

#include "problems/readers/table_reader.h"
#include "search/problem.h"

namespace nightshift::problems {

// Sets unit and direction of an objective that has its name; null where the backend has no say.
using ObjectiveDefaults = void (*)(search::Objective&);

// Reads every [[objective]], and notes what does not fit together with search.scalarisation, which
// read_settings reads. Leaves the problem's own objective where the file has none.
void read_objectives(TableReader& root, search::Problem& problem,
                     ObjectiveDefaults defaults = nullptr);

// Sets FigureRule::unit_is_told where the file has the objective with a `unit`.
search::CommandBackend with_told_units(const TableReader& root,
                                       const std::vector<search::Objective>& objectives,
                                       search::CommandBackend backend);

// Where each of the problem's objectives stands; none where the file has none.
std::vector<SourceLocation> locations_of_objectives(const TableReader& root,
                                                    const search::Problem& problem);

}  // namespace nightshift::problems
