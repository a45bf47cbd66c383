#pragma once

#include "search/scoring.h"
#include "search/trial.h"

namespace nightshift::scheduler {

// A child's word is not taken for anything but figures: each objective must have samples, all
// finite, and what is compared by its ratio to the baseline a positive median. A report that says
// otherwise, or that the trial was skipped, becomes a LaunchFailed with the reason; failures pass.
search::TrialReport checked(search::TrialReport report, const search::Scoring& scoring);

}  // namespace nightshift::scheduler
