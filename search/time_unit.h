#pragma once

#include <optional>
#include <string_view>

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

// How many of `unit` are one second; nullopt for anything that is no unit of time. Recorded files
// also have a micro sign or a Greek letter for the u.
inline std::optional<double> per_second(std::string_view unit) {
  if (unit == "\u00b5s" || unit == "\u03bcs") unit = "us";
  const TimeUnit* known = find_time_unit(unit);
  return known == nullptr ? std::nullopt : std::optional(known->per_second);
}

}  // namespace nightshift::search
