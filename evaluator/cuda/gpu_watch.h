#pragma once

#include <chrono>
#include <string>

#include "evaluator/cuda/nvml.h"

namespace nightshift::evaluator::cuda {

// Looks at a GPU at the ends of each measurement. A measurement begins with the look at the end of
// the one before, unless that is a second old. What is slow to read is read every half second: a
// slowdown by heat that no look has met while it lasted is then told of the measurement at hand.
class GpuWatch {
 public:
  explicit GpuWatch(const std::string& uuid);

  const GpuMonitor& monitor() const { return monitor_; }
  GpuReading before();  // a measurement
  GpuReading after();

 private:
  GpuMonitor monitor_;
  GpuReading latest_;
  std::chrono::steady_clock::time_point looked_, whole_;  // when, and when at everything
};

}  // namespace nightshift::evaluator::cuda
