#pragma once

#include "search/problem.h"
#include "search/trial.h"

namespace nightshift::search {

// The deadline in seconds of one phase.
double limit_of(Phase phase, const Limits& limits);
// Of kConfigure, in which a server of protocol 2 is started and says hello as well.
double configure_limit(const Problem& problem);

}  // namespace nightshift::search
