#pragma once

#include "kernels/readers/table_reader.h"
#include "search/problem.h"

namespace nightshift::kernels {

// Reads what is said about the study rather than the problem: [measure], [limits], [budget],
// [search], [schedule], [acceptance], [device]. Problem::target is known already: it decides what
// [device] may say.
void read_settings(TableReader& root, search::Problem& problem);

// What a budget means for this kind of problem: on a recorded device time is simulated time, and
// without any limit there is one of 10 minutes, or of 400 trials for a recording.
void settle_budget(search::Problem& problem);

}  // namespace nightshift::kernels
