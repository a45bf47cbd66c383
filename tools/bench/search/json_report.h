#pragma once

#include <string>

#include "tools/bench/search/results.h"

namespace nightshift::bench {

// All figures with their intervals and the curves by evaluation, as one JSON object:
// {settings, checkpoints, calibration, groups: [{kind, name, spaces, searchers: [{name, ...,
// curve {mean, median, lowest_tenth}}]}]}. A figure is {value, low, high}; null where infinite.
std::string json_report(const Results& results, const Options& options);

}  // namespace nightshift::bench
