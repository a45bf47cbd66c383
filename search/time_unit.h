#pragma once

#include <optional>
#include <string_view>

namespace nightshift::search {

// How many of `unit` are one second: 1 for "s", 1e3 for "ms", 1e6 for "us", 1e9 for "ns"; nullopt
// for anything that is no unit of time.
inline std::optional<double> per_second(std::string_view unit) {
  if (unit == "s") return 1.0;
  if (unit == "ms") return 1e3;
  if (unit == "us" || unit == "\u00b5s" || unit == "\u03bcs") return 1e6;
  if (unit == "ns") return 1e9;
  return std::nullopt;
}

}  // namespace nightshift::search
