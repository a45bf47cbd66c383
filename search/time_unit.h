#pragma once

#include <optional>
#include <string_view>

#include "search/unit.h"

namespace nightshift::search {

struct TimeUnit {
  std::string_view name;
  double per_second;
};
inline constexpr TimeUnit kTimeUnits[] = {{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}};

// nullptr for what a problem file may not call a unit of time.
constexpr const TimeUnit* find_time_unit(std::string_view name) {
  for (const TimeUnit& known : kTimeUnits) {
    if (known.name == name) return &known;
  }
  return nullptr;
}

// What the condition of a Measurement is called that says how many samples did not count, since a
// program's clock was too coarse for them: "3 of 20 samples were 0".
inline constexpr std::string_view kVoidCondition = "void samples";
// That says how many samples were taken while others had the core, where these are most of them:
// "12 of 20".
inline constexpr std::string_view kPreemptedCondition = "samples beside others";

// How many of `unit`, however it is spelled, are one second; nullopt for anything that is no unit
// of time.
inline std::optional<double> per_second(std::string_view unit) {
  const Unit* known = find_unit(unit);
  if (known == nullptr || known->dimension != Dimension::kTime) return std::nullopt;
  return known->parts / known->multiple;
}

}  // namespace nightshift::search
