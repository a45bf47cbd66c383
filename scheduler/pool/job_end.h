#pragma once

#include <variant>

#include "scheduler/job.h"
#include "scheduler/pool/worker.h"

namespace nightshift::scheduler {

// How a job ended, by what the process or the slot says became of it; an outcome is a failure.
JobEnded end_of(const Job& job, std::variant<Reply, search::TrialOutcome> result);
// Of one that no process has seen: it goes back to those that wait.
JobEnded not_begun(const Job& job);

}  // namespace nightshift::scheduler
