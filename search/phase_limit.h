#pragma once

#include <string_view>

#include "search/problem.h"
#include "search/trial.h"

namespace nightshift::search {

// The deadline in seconds of one phase.
double limit_of(Phase phase, const Limits& limits);
// Of kConfigure, in which a server of protocol 2 is started and says hello as well.
double configure_limit(const Problem& problem);
// The key of the problem file that a limit of so many seconds has which ran out in that phase:
// "limits.measure"; empty where it is none of the file's.
std::string_view key_of_limit(Phase phase, double seconds, const Problem& problem);

}  // namespace nightshift::search
