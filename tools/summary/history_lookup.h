#pragma once

#include "scheduler/journal/history.h"
#include "search/measurement.h"

namespace nightshift::tools {

// The trial whose outcome counts for `trial` (which has finished): itself, or the one with the same
// machine code that a skipped one refers to.
const scheduler::TrialRecord& speaker_for(const scheduler::History& history,
                                          const scheduler::TrialRecord& trial);

// What was measured by the speaker; nullptr where it failed or is not finished.
const search::Measurement* measurement_of(const scheduler::History& history,
                                          const scheduler::TrialRecord& trial);

}  // namespace nightshift::tools
