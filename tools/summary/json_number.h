#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

#include "search/statistics/interval.h"
#include "tools/summary/spread.h"

namespace nightshift::tools {

// JSON has no infinity and no NaN: null stands for both.
inline nlohmann::ordered_json number_json(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

inline nlohmann::ordered_json interval_json(const search::Interval& interval) {
  return nlohmann::ordered_json::array({number_json(interval.low), number_json(interval.high)});
}

// Of a figure, as texts have it: null where nothing is known of its spread.
inline nlohmann::ordered_json spread_json(const search::Interval& interval) {
  return tells_spread(interval) ? interval_json(interval) : nlohmann::ordered_json(nullptr);
}

// What `object` says beside an interval; 95 % where it says nothing, as before intervals had levels of
// their own.
template <class Json>
double confidence_in(const Json& object) {
  const auto found = object.find("confidence");
  const bool is_number = found != object.end() && found->is_number();
  const double confidence = is_number ? found->template get<double>() : -1;
  return confidence > 0 && confidence < 1 ? confidence : search::Interval{}.confidence;
}

}  // namespace nightshift::tools
