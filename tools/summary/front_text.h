#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scheduler/summary/summary.h"
#include "search/problem.h"

namespace nightshift::tools {

// "-58.80 %": how far the figure itself lies above or below the baseline's, whichever is better;
// of a change of accuracy "changed by 0.012".
std::string difference_text(const search::Problem& problem, std::size_t objective,
                            const search::Score& score);

// The Pareto front, headings first, with configurations cut to `width`; what is to be said below it
// ("and 3 more", "2 were measured once", that the baseline is on it) goes to `left_out`, empty
// where all is there.
std::vector<std::vector<std::string>> front_rows(const scheduler::StudySummary& summary,
                                                 const search::Problem& problem, std::size_t width,
                                                 std::string& left_out);

// The Pareto front as a table: trial, every objective with interval and what is sought against the
// baseline, configuration. Of a long front the members that lie furthest apart. Where the baseline
// is all that is on it, that in words. Empty without a front.
std::string front_text(const scheduler::StudySummary& summary, const search::Problem& problem);

// "time in ms, lower is better, weight 2, at most 5 ms"
std::string objective_text(const search::Objective& objective);

}  // namespace nightshift::tools
