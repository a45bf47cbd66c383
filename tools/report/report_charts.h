#pragma once

#include <string>

#include "scheduler/journal/history.h"
#include "scheduler/summary/summary.h"
#include "search/problem.h"
#include "tools/report/report_figures.h"

namespace nightshift::tools {

// The parts of the report's page that are charts, as HTML; empty where there is nothing to draw.

std::string convergence_html(const Convergence& told, const search::Problem& problem);
// A scatter of the first two objectives that are sought, and the front as a table.
std::string front_html(const scheduler::History& history, const scheduler::StudySummary& summary,
                       const search::Problem& problem);
std::string effects_html(const scheduler::History& history, const search::Problem& problem);
// The baseline over time on each device.
std::string noise_html(const scheduler::History& history, const search::Problem& problem);

}  // namespace nightshift::tools
