#pragma once

#include <string>

#include "search/configuration.h"
#include "search/problem.h"

namespace nightshift::tools {

// What a configuration has other than the baseline: "UNROLL=8 (not 1) OPT='-O3' (not '-O2')"; "as
// the baseline" where that is nothing. Where the baseline is another program: all that it has.
std::string difference_text(const search::Configuration& c, const search::Problem& problem);

// All parameters where that is not wide, "TILE=64 OPT='-O2'"; else what differs from the baseline,
// and how many do not.
std::string configuration_text(const search::Configuration& c, const search::Problem& problem);

}  // namespace nightshift::tools
