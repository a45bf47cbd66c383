#pragma once

#include "scheduler/summary/study_summary.h"
#include "search/problem.h"
#include "tools/document/document.h"

namespace nightshift::tools {

// The best against the baseline, which is 1: on each device of the hold-out with the interval of
// its pairs, and on all of them, as it is claimed. Empty where there is no best, or where figures
// are compared by their differences.
Charts gain_charts(const scheduler::StudySummary& summary, const search::Problem& problem);

}  // namespace nightshift::tools
