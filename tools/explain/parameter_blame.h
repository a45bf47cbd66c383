#pragma once

#include <string>

#include "scheduler/journal/history.h"
#include "search/problem.h"

namespace nightshift::tools {

// Why the winner of the last duel is faster: what each parameter in which it differs from the
// baseline (where that is another program: from the defaults) gains, by what happens when it alone
// goes back. From what finishing rounds have left in the journal; where these have measured no
// pairs, with the command that does. `study` is its folder, as the user would type it.
std::string parameter_blame(const scheduler::History& history, const search::Problem& problem,
                            const std::string& study);

}  // namespace nightshift::tools
