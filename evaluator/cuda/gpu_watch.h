#pragma once

#include <chrono>
#include <string>

#include "evaluator/cuda/nvml.h"

namespace nightshift::evaluator::cuda {

// Looks at a GPU at the end of each visit. Looking takes the time of a short measurement, and
// processes that read the GPUs of one host wait for each other; so there is one look a visit, which
// begins with that of the visit before, and a whole reading only every half second, in between
// what makes measurements void.
class GpuWatch {
 public:
  explicit GpuWatch(const std::string& uuid);

  const GpuMonitor& monitor() const { return monitor_; }
  const GpuReading& latest() const { return latest_; }
  const GpuReading& look();

 private:
  GpuMonitor monitor_;
  GpuReading latest_;
  std::chrono::steady_clock::time_point whole_;  // when the latest whole reading was made
};

}  // namespace nightshift::evaluator::cuda
