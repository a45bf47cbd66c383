#pragma once

#include <string>
#include <vector>

#include "problems/readers/diagnostics.h"
#include "search/figures/own_figure.h"
#include "search/problem.h"

namespace nightshift::problems {

// What is wrong with the unit or the direction of an objective whose figure has these; empty where
// nothing is.
std::string figure_complaint(const search::Objective& objective,
                             const std::vector<search::FigureUnit>& units,
                             search::Direction direction);

// What an objective of that name is measured in by [host] when the file says no more. Other names
// are left alone.
void set_host_defaults(search::Objective& objective);

// Notes objectives that are no figure of a host kernel, and units and directions that do not fit;
// `locations` are those of the problem's objectives.
void check_host_objectives(const search::Problem& problem,
                           const std::vector<SourceLocation>& locations, Diagnostics& diagnostics);

// What is wrong with an objective of [command] that is measured; empty where nothing is. One without
// a unit gets the figure's first.
std::string settle_measured(search::Objective& objective, const search::OwnFigureRule& figure,
                            const search::CommandBackend& command);

}  // namespace nightshift::problems
