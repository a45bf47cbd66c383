#pragma once

#include "tools/history/past_run.h"
#include "tools/recheck/recheck_report.h"

namespace nightshift::tools {

// What the history of this machine keeps of one winner, which ended at that time (Unix seconds).
PastRun past_run_of(const RecheckedWinner& winner, double at);
// Appends a line for each winner that was reached.
void remember(const RecheckReport& report);

}  // namespace nightshift::tools
