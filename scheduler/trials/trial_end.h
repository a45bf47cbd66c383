#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scheduler/journal/journal.h"
#include "scheduler/trials/build_queue.h"
#include "scheduler/worker_pool.h"
#include "search/trial.h"

namespace nightshift::scheduler {

// How a trial ended, after as many attempts as it deserved (scheduler/trials/retry.h).
struct TrialEnd {
  ProposedTrial trial;
  search::TrialReport report;  // its figures are checked, see report_check.h
  std::uint32_t attempts = 1;
  std::optional<DeviceIndex> device;  // that evaluated it last; absent when it never reached one
  std::string artifact;               // hash; empty without a build
  bool fresh_process = false;         // its evaluation was the first of its process
  double started = 0, finished = 0;   // Unix seconds, of all attempts
  double last_started = 0;            // of the last attempt
  double building = 0;                // seconds of that, in which it was compiled
};

// What nothing can be evaluated without could not be built.
struct FailedBuild {
  BuildKey key;
  search::TrialOutcome outcome;
};

}  // namespace nightshift::scheduler
