#pragma once

#include <string>

namespace nightshift::evaluator {

// What a measurement was taken under, as far as the system says.
std::string own_cores();      // that this process may run on: "2" or "4,5"; "unknown"
double clock_in_megahertz();  // of the core that we run on now; 0 = unknown
double load_average();        // of the last minute; negative = unknown
long involuntary_switches();  // of this process so far

std::string percent(double share);  // "0.312 %"

}  // namespace nightshift::evaluator
