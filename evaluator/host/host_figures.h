#pragma once

#include <vector>

#include "evaluator/counters/own_objectives.h"
#include "search/measurement.h"
#include "search/objective.h"

namespace nightshift::evaluator {

// One measurement of what was found of each case under the own names of figures and in their base
// units: the objectives' samples, in their order and units. Of several cases figures of a call are
// aggregated, binaries add up, and of what is left the largest counts. Conditions are those of the
// first case, but for what disturbed any of them.
search::Measurement joined(std::vector<search::Measurement> cases, const OwnObjectives& objectives,
                           const search::CaseTerms& terms);

}  // namespace nightshift::evaluator
