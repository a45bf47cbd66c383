#pragma once

#include <string>
#include <vector>

#include "scheduler/journal/history.h"
#include "scheduler/summary/study_summary.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// What a reader of a study's result has to know beside it, a sentence each: notices of its run, devices
// that left, machines that differ, parameters that seem to change nothing, times that did not count, cores
// that were shared, a self-test that could not have seen much. `summary` knows status, identity and distrust.
std::vector<std::string> notices_of(const History& history, const search::Problem& problem,
                                    const StudySummary& summary);

// An objective has been the same figure in all trials: the sentence, see search::Unmoved::constant(); empty
// otherwise.
std::string constant_objective(const History& history, const search::Problem& problem);

}  // namespace nightshift::scheduler
