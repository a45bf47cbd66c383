#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

#include "search/statistics/interval.h"

namespace nightshift::tools {

// JSON has no infinity and no NaN: null stands for both.
inline nlohmann::ordered_json number_json(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

inline nlohmann::ordered_json interval_json(const search::Interval& interval) {
  return nlohmann::ordered_json::array({number_json(interval.low), number_json(interval.high)});
}

}  // namespace nightshift::tools
