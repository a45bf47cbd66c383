#pragma once

#include <string>

#include "scheduler/journal/history.h"
#include "search/problem.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

// What report_text() tells as one page of HTML that needs nothing but itself, with charts: result,
// configurations, convergence, Pareto front, effect of each parameter, noise, devices,
// confirmations, failures, remarks, machine. What a study has nothing of is left out.
std::string report_page(const scheduler::History& history, const search::Problem& problem,
                        const StudyFolder& folder);

}  // namespace nightshift::tools
