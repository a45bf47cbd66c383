#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/measurement.h"
#include "search/objective.h"

namespace nightshift::search {

// The condition of an evaluation that says what the figures of an objective without a unit are in,
// where the program named one: "unit of latency".
std::string told_unit_condition(std::string_view objective);

// Gives each objective without a unit the one that `measurement` has for it.
void take_told_units(std::vector<Objective>& objectives, const Measurement& measurement);

}  // namespace nightshift::search
