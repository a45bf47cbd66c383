#pragma once

#include <chrono>
#include <future>
#include <string>

#include "evaluator/cuda/nvml.h"

namespace nightshift::evaluator::cuda {

// Looks at a GPU at the ends of each measurement. Looking takes the time of a short one, and
// processes that read the GPUs of one host wait for each other; so a measurement begins with the
// look at the end of the one before, unless that is a second old, and a whole reading is made only
// every half second, in between what makes measurements void.
class GpuWatch {
 public:
  explicit GpuWatch(const std::string& uuid);

  const GpuMonitor& monitor() const { return monitor_; }
  GpuReading before();  // a measurement
  // Looks in a thread of its own, where one can be had, since what follows does not disturb what
  // was measured. Nothing else is asked of the watch until the reading is there.
  std::future<GpuReading> after();

 private:
  void look();

  GpuMonitor monitor_;
  GpuReading latest_;
  std::chrono::steady_clock::time_point looked_, whole_;  // when, and when at everything
};

}  // namespace nightshift::evaluator::cuda
