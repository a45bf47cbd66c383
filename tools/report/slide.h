#pragma once

#include <string>

#include "scheduler/journal/history.h"
#include "scheduler/summary/study_summary.h"
#include "search/problem.h"

namespace nightshift::tools {

// The result of a study as one picture of 1280 x 720, an SVG document for a slide: the claim with
// its interval, the figures of baseline and best with theirs, what the best has other than the
// baseline, devices and date. Text is text; no scripts, and nothing from elsewhere. Where nothing
// is claimed it says so.
std::string slide_of(const scheduler::History& history, const scheduler::StudySummary& summary,
                     const search::Problem& problem);

}  // namespace nightshift::tools
