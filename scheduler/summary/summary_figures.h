#pragma once

#include <optional>
#include <vector>

#include "scheduler/summary/study_summary.h"
#include "search/measurement.h"
#include "search/problem.h"
#include "search/scoring.h"

namespace nightshift::scheduler {

// Every objective over several evaluations of one configuration. The evaluations are what varies
// from one occasion to the next; the samples within an evaluation are only used where there is no
// second one.
std::vector<StudySummary::Figure> figures_over(
    const search::Problem& problem, const std::vector<const search::Measurement*>& evaluations);

// What one evaluation shows, in the unit of the objective; samples that are no numbers are left
// out. nullopt where there are no others.
std::optional<double> evaluation_value(const search::Measurement& evaluation,
                                       const search::Objective& objective);

// See StudySummary::Contender.
std::optional<bool> same_bits(const std::vector<const search::Measurement*>& evaluations);

// Whether a score is the primary figure over that of the same device's baseline, so that either
// follows from the other. The worst case, a difference, and a baseline that is given or another
// device's are no such ratio.
bool scores_own_ratio(const search::Scoring& scoring, const search::Problem& problem);

}  // namespace nightshift::scheduler
