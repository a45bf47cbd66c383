#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "scheduler/trials/patience.h"
#include "scheduler/trials/trial_order.h"
#include "scheduler/worker_pool.h"

namespace nightshift::scheduler {

// A trial on its way through the runner, which has no end yet.
struct LiveTrial {
  TrialOrder order;
  std::uint32_t attempt = 1;
  std::uint32_t losses = 0;  // attempts that ended with their device
  std::uint32_t build_losses = 0;
  bool suspect = false;
  bool ended_runs = false;  // a suspect that is alone in the whole study, and its build as well
  bool wants_fresh_process = false;
  std::string artifact, reference;  // hashes
  std::set<std::string> rebuilt;    // of these, as they were gone or damaged
  double build_seconds = 0;
  double started = 0, last_started = 0;  // Unix seconds
  std::optional<DeviceIndex> evaluated_on;
  bool evaluating = false;
  Patience patience;        // of the evaluation in hand
  bool doubted = false;     // likewise
  std::string disturbance;  // why it counts for nothing; empty: it counts
};

}  // namespace nightshift::scheduler
