#pragma once

#include <optional>
#include <string_view>

namespace nightshift::search {

struct TimeUnit {
  std::string_view name;
  double per_second;
};
inline constexpr TimeUnit kTimeUnits[] = {{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}};

// How many of `unit` are one second; nullopt for anything that is no unit of time. Recorded files
// also have a micro sign or a Greek letter for the u.
inline std::optional<double> per_second(std::string_view unit) {
  if (unit == "\u00b5s" || unit == "\u03bcs") unit = "us";
  for (const TimeUnit& known : kTimeUnits) {
    if (known.name == unit) return known.per_second;
  }
  return std::nullopt;
}

// Whether a problem file may call a unit of time so.
inline bool is_time_unit(std::string_view unit) {
  for (const TimeUnit& known : kTimeUnits) {
    if (known.name == unit) return true;
  }
  return false;
}

}  // namespace nightshift::search
