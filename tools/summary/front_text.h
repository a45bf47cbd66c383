#pragma once

#include <string>
#include <vector>

#include "scheduler/summary/summary.h"
#include "search/problem.h"
#include "tools/document/document.h"

namespace nightshift::tools {

// "-58.80 %": how far the figure itself lies above or below the baseline's, whichever is better;
// of a change of accuracy "changed by 0.012".
std::string difference_text(const search::Problem& problem, std::size_t objective,
                            const search::Score& score);

// The Pareto front as a table: trial, every objective with interval and what is sought against the
// baseline, configuration. Of a long front the members that lie furthest apart. Below it what is to
// be said: "and 3 more", "2 were measured once", that the baseline is on it, or all that is. Empty
// without a front.
std::vector<Block> front_blocks(const scheduler::StudySummary& summary,
                                const search::Problem& problem);

// "time in ms, lower is better, weight 2, at most 5 ms"
std::string objective_text(const search::Objective& objective);

}  // namespace nightshift::tools
