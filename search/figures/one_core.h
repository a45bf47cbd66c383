#pragma once

#include <string>
#include <string_view>

namespace nightshift::search {

// The condition of an evaluation of code that starts threads and had one core for all of them: what
// starts them, "OpenMP".
inline constexpr std::string_view kOneCoreCondition = "threads on one core";

// `where`: "in 12 of 12 evaluations the kernel".
inline std::string one_core_words(std::string_view where, std::string_view threads) {
  return std::string(where) + " starts threads (" + std::string(threads) +
         ") and has one core for all of them, as where [schedule] cores_per_device is absent: "
         "`cores_per_device = 4` gives it four";
}

}  // namespace nightshift::search
