#pragma once

#include <vector>

#include "scheduler/summary.h"
#include "search/measurement.h"

namespace nightshift::scheduler {

// Every objective over several visits of one configuration. The visits are what varies from one
// occasion to the next; the samples within a visit are only used where there is no second one.
std::vector<StudySummary::Figure> figures_over(
    const search::Problem& problem, const std::vector<const search::Measurement*>& visits);

}  // namespace nightshift::scheduler
