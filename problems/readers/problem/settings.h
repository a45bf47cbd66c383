#pragma once

#include "problems/readers/table_reader.h"
#include "search/problem.h"

namespace nightshift::problems {

// Reads what is said about the study rather than the problem: [measure], [limits], [budget],
// [search], [schedule], [acceptance], [device]. Problem::target is known already: it decides what
// [device] may say.
void read_settings(TableReader& root, search::Problem& problem);

// What a budget means for this kind of problem: on a recorded device time is simulated time, and
// without any limit there is one of 10 minutes, or of 400 trials for a recording. How long an
// evaluation may sample follows from it where [measure] does not say so: 2 % of a budget of time,
// 10 s at most, after one warm-up call instead of three below a minute. Quick effort (Effort::kQuick)
// bounds the configurations besides.
void settle_budget(search::Problem& problem);

}  // namespace nightshift::problems
