#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "evaluator/cuda/cuda_measure.h"
#include "search/measurement.h"

namespace nightshift::evaluator::cuda {

// How the time of an execution is shared among its launches. Rows of launches are timed as whole
// executions are: the first alone, the first two, and so on. In rounds, so that a clock that drifts
// does to each what it does to the others; what a row takes longer than the one before it is the
// time of its last launch. Events between launches would tell less: each costs the device more than
// the gap it is in, and a graph has none.
class LaunchTimes {
 public:
  struct Parts {
    const search::SamplingPlan& plan;
    KernelModule& module;
    const std::vector<PlannedLaunch>& launches;
    DeviceArguments& arguments;
    const Context& context;
    DeviceTimer& timer;
    ProgressSink& progress;
  };
  // `whole`: the measurement of all launches, warm; what is timed by it is the last row.
  LaunchTimes(const Parts& parts, CudaMeasurement& whole);

  // `sizes`: as of LaunchSamples. Throws CudaError.
  std::vector<search::LaunchSamples> measure(std::uint32_t sizes);

 private:
  Parts parts_;
  CudaMeasurement& whole_;
  std::vector<std::vector<PlannedLaunch>> starts_;  // of the execution: all rows but the last
  std::vector<std::unique_ptr<CudaMeasurement>> rows_;
};

}  // namespace nightshift::evaluator::cuda
