#pragma once

#include <string>
#include <vector>

#include "tools/bench/front/front_figures.h"

namespace nightshift::bench {

// A table of all spaces, and before it one of each unless `summary`.
std::string front_text(const std::vector<FrontResult>& results,
                       const std::vector<FrontSpace>& spaces, const FrontSettings& settings,
                       bool summary);

std::string front_json(const std::vector<FrontResult>& results,
                       const std::vector<FrontSpace>& spaces, const FrontSettings& settings);

}  // namespace nightshift::bench
