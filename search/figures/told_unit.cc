#include "search/figures/told_unit.h"

namespace nightshift::search {

std::string told_unit_condition(std::string_view objective) {
  return "unit of " + std::string(objective);
}

void take_told_units(std::vector<Objective>& objectives, const Measurement& measurement) {
  for (Objective& objective : objectives) {
    if (objective.unit.empty())
      objective.unit = measurement.condition(told_unit_condition(objective.name));
  }
}

}  // namespace nightshift::search
