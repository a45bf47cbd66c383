#pragma once

#include <chrono>
#include <string>

#include "evaluator/cuda/driver/nvml.h"

namespace nightshift::evaluator::cuda {

// Looks at a GPU at the ends of each measurement. A measurement begins with the look at the end of
// the one before, unless that is a second old. What is slow to read is read every half second: a
// slowdown by heat that no look has met while it lasted is then told of the measurement at hand.
class GpuWatch {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  GpuWatch(const std::string& uuid, TimePoint now);

  const GpuMonitor& monitor() const { return monitor_; }
  GpuReading before(TimePoint now);  // a measurement
  GpuReading after(TimePoint now);

 private:
  GpuMonitor monitor_;
  GpuReading latest_;
  TimePoint looked_, whole_;  // when, and when at everything
};

}  // namespace nightshift::evaluator::cuda
