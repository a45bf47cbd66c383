#pragma once

#include <string>

#include "scheduler/job.h"
#include "search/problem.h"
#include "search/trial.h"

namespace nightshift::scheduler {

// Of an evaluation that ended with its process: the artifact that it was to use, where that is gone
// or is not what its name says; else empty. What writes over a library while it is loaded kills
// whoever runs it, which is no fault of the configuration. Only those of [host] are looked at: their
// names are the hash of their bytes, and others are not mapped while they run.
std::string damaged_behind(const search::Problem& problem, const std::string& artifact_folder,
                           const Job& job, const search::TrialOutcome& outcome);

}  // namespace nightshift::scheduler
