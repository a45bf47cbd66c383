#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "evaluator/counters/energy_meter.h"
#include "evaluator/counters/hardware_counters.h"
#include "search/problem.h"

namespace nightshift::evaluator {

// An objective whose figure the evaluator finds out itself.
struct OwnObjective {
  std::string name;
  search::OwnFigure figure = search::OwnFigure::kTime;
  double per_base_unit = 1;
};
using OwnObjectives = std::vector<OwnObjective>;

// In the problem's order: of [host] all, of [command] those that are not in what it prints, of
// others none. Throws std::runtime_error for a figure, a unit or a direction that there is not.
OwnObjectives own_objectives(const search::Problem& problem);

bool wants(const OwnObjectives& objectives, search::OwnFigure figure);
// Those that the processor counts.
std::vector<search::OwnFigure> counted(const OwnObjectives& objectives);

// The condition of a measurement whose counts were estimates, and its value.
inline constexpr const char* kCountersCondition = "counters";
inline constexpr const char* kEstimates = "shared with others, so that the figures are estimates";

// Where they are measured; tests have others.
struct Meters {
  CounterDoor* counters = &perf_events();
  std::filesystem::path powercap = kPowercapFolder;
};

// What of the problem's objectives this machine cannot measure: a sentence each.
std::vector<std::string> unmeasurable(const search::Problem& problem, const Meters& meters = {});

}  // namespace nightshift::evaluator
