#pragma once

#include <string>

#include "tools/bench/search/results.h"

namespace nightshift::bench {

// All tables, as printed.
std::string text_report(const Results& results, const Options& options);

// Its parts.
std::string group_table(const Results& results, const Group& group, const Options& options);
// Paired differences to options.against, with a star where the interval does not contain 0.
std::string difference_table(const Results& results, const Group& group, const Options& options);
// Where a searcher's mean is below what uniform drawing is expected to reach, by more than its
// interval; empty where noise makes the expectation meaningless.
std::string below_random(const Results& results, const Options& options);
std::string calibration_line(const Calibration& calibration);

}  // namespace nightshift::bench
