#pragma once

#include <string>

#include "scheduler/trials/trial_runner.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// Why a study ends: its reference or its baseline, without which nothing can be evaluated, could not be
// built. Says which source or which values that is, what the compiler said, and what to do.
std::string build_complaint(const search::Problem& problem, const FailedBuild& failed);

}  // namespace nightshift::scheduler
