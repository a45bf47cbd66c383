#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>

#include "search/objective.h"
#include "search/statistics/interval.h"
#include "tools/summary/json_number.h"

namespace nightshift::tools {

// The members of a gain whose score is `ratio`. What is compared by its difference has no ratio:
// then it is candidate less baseline, in the figure's unit.
inline nlohmann::ordered_json gain_json(const search::Objective& objective, double ratio,
                                        const search::Interval& interval) {
  if (!search::is_difference(objective)) {
    return {{"ratio", number_json(ratio)}, {"interval", interval_json(interval)}};
  }
  const double one = search::difference_of(objective, interval.low);
  const double other = search::difference_of(objective, interval.high);
  return {{"ratio", nullptr},
          {"interval", nullptr},
          {"difference", number_json(search::difference_of(objective, ratio))},
          {"difference_interval",
           interval_json({std::min(one, other), std::max(one, other), interval.confidence})},
          {"unit", objective.unit}};
}

}  // namespace nightshift::tools
