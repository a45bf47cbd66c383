#pragma once

#include <string>

#include "scheduler/journal/history.h"
#include "search/problem.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

// A study as Markdown that is short enough for a pull request: the result, the figures and the
// configurations; how it came about folded away.
std::string report_markdown(const scheduler::History& history, const search::Problem& problem,
                            const StudyFolder& folder);

}  // namespace nightshift::tools
