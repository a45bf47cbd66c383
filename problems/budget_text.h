#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "problems/override.h"

namespace nightshift::problems {

// A budget in one word, as --budget and batch files have it: "10m", "90s", "1.5h", "1h30m", "500ms"
// limit the time, "400t" the number of configurations. The limit replaces the other one's, hence
// two keys of the problem file. nullopt: it is neither.
std::optional<std::vector<Override>> read_budget(std::string_view text);

inline constexpr const char* kBudgetForm =
    "a time such as 90s, 10m, 1h30m or 2d, or a number of configurations such as 400t";

}  // namespace nightshift::problems
