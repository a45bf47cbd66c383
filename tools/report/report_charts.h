#pragma once

#include <vector>

#include "scheduler/journal/history.h"
#include "scheduler/summary/summary.h"
#include "search/problem.h"
#include "tools/document/document.h"
#include "tools/report/report_figures.h"

namespace nightshift::tools {

// The parts of a study's report that have charts; empty where there is nothing to draw.

Charts convergence_charts(const Convergence& told, const search::Problem& problem);
// A scatter of the first two objectives that are sought.
Charts front_charts(const scheduler::History& history, const scheduler::StudySummary& summary,
                    const search::Problem& problem);
// What each parameter explains, and its values.
std::vector<Block> effect_blocks(const scheduler::History& history, const search::Problem& problem);
// The baseline over time on each device.
Charts baseline_charts(const scheduler::History& history, const search::Problem& problem);

}  // namespace nightshift::tools
