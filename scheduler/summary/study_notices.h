#pragma once

#include <string>
#include <vector>

#include "scheduler/journal/history.h"
#include "scheduler/summary/study_summary.h"
#include "search/problem.h"
#include "search/unmoved.h"

namespace nightshift::scheduler {

// What its trials show of figures and parameters that move nothing.
search::Unmoved unmoved_of(const History& history, const search::Problem& problem);

// What a reader of a study's result has to know beside it, a sentence each: notices of its run, devices
// that left, machines that differ, parameters that seem to change nothing, times that did not count, cores
// that were shared, a self-test that could not have seen much. `unmoved`: of the same trials; `summary`
// knows status, identity and distrust.
std::vector<std::string> notices_of(const History& history, const search::Problem& problem,
                                    const search::Unmoved& unmoved, const StudySummary& summary);

}  // namespace nightshift::scheduler
