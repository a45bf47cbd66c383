#pragma once

#include "scheduler/journal/history.h"
#include "search/problem.h"
#include "tools/document/document.h"
#include "tools/report/savings.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

// A study on one page: result, best against baseline, where it holds, what it saves of a whole
// job, what was tuned and where, configurations, convergence, Pareto front, roofline, effect of
// each parameter, noise, devices, confirmations, failures by kind, remarks, machine, how to go on.
// What a study has nothing of is left out.
Document document_of(const scheduler::History& history, const search::Problem& problem,
                     const StudyFolder& folder, const WholeJob& job = {});

}  // namespace nightshift::tools
