#pragma once

#include <vector>

#include "scheduler/summary/study_summary.h"
#include "search/measurement.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// Every objective over several evaluations of one configuration. The evaluations are what varies
// from one occasion to the next; the samples within an evaluation are only used where there is no
// second one.
std::vector<StudySummary::Figure> figures_over(
    const search::Problem& problem, const std::vector<const search::Measurement*>& evaluations);

}  // namespace nightshift::scheduler
