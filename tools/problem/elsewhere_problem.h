#pragma once

#include <string>
#include <vector>

#include "problems/override.h"
#include "problems/problem_reading.h"

namespace nightshift::tools {

// A file of parameters, constraints and objectives that names no backend is one for `search
// --serve`: whoever reads our lines measures it.

bool lacks_backend(const problems::ProblemReading& reading);
// With which such a file is read: as one of a program that is served (measured_elsewhere.h).
std::vector<problems::Override> served_elsewhere(std::vector<problems::Override> overrides);
// Why its baseline, which is asked for like any other configuration, cannot be; empty where it can.
std::string baseline_flaw_elsewhere(const search::Problem& problem);

}  // namespace nightshift::tools
