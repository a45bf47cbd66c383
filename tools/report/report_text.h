#pragma once

#include <string>

#include "scheduler/journal/history.h"
#include "search/problem.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

// A study on one page of text: what was tuned and where, result, best beside baseline
// configuration, convergence, failures by kind, devices with their drift, confirmations, how to go
// on.
std::string report_text(const scheduler::History& history, const search::Problem& problem,
                        const StudyFolder& folder);

}  // namespace nightshift::tools
