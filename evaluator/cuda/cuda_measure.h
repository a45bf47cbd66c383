#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "evaluator/backend.h"
#include "evaluator/cuda/driver/device_timer.h"
#include "evaluator/cuda/launch/device_arguments.h"
#include "evaluator/cuda/launch/kernel_module.h"
#include "evaluator/cuda/launch/launch_plan.h"
#include "evaluator/sampling/stopping_rule.h"
#include "evaluator/sampling/warm_up_rule.h"
#include "search/cuda_problem.h"
#include "search/problem/sampling_plan.h"

namespace nightshift::evaluator::cuda {

// One evaluation of one case on the device, after the plan; device time only.
//
// A sample is a row of executions, each on the next set of arguments: with a cold cache there are
// as many sets as make their largest vectors fill the L2 cache three times. Short executions are
// replayed as graphs that together go through all sets, longer ones launched one by one behind a
// gate (DeviceTimer). Input-outputs
// are restored before each sample, not between its executions.
class CudaMeasurement {
 public:
  // `timing` may be settled before, so that several agree. All of these outlive it.
  CudaMeasurement(search::CudaBackend::Timing timing, const search::SamplingPlan& plan,
                  KernelModule& module, const std::vector<PlannedLaunch>& launches,
                  DeviceArguments& arguments, const Context& context, DeviceTimer& timer,
                  ProgressSink& progress);

  void warm_up();
  // Seconds an execution; censored where the first are all above `give_up_above` (0 = never).
  std::vector<double> sample(double give_up_above);
  bool censored() const { return censored_; }
  double sample_once();                        // seconds an execution
  search::CudaBackend::Timing timing() const;  // as it was after the warm-up
  // For `seconds` of wall time at least. Returns how many executions there were.
  std::uint64_t run_for(double seconds);

  using Conditions = std::vector<std::pair<std::string, std::string>>;
  void describe(const std::vector<double>& seconds, Conditions& conditions) const;

 private:
  void execute(std::uint64_t times);  // puts that many executions into the stream
  double timed();
  bool by_graph(double seconds_each) const;
  std::size_t sets() const { return plan_.cold_cache ? arguments_.sets() : 1; }

  search::CudaBackend::Timing timing_;
  const search::SamplingPlan plan_;
  KernelModule& module_;
  const std::vector<PlannedLaunch>& launches_;
  DeviceArguments& arguments_;
  const Context& context_;
  DeviceTimer& timer_;
  ProgressSink& progress_;
  WarmUpRule warm_up_;
  StoppingRule rule_;
  std::vector<std::unique_ptr<LaunchGraph>> graphs_;  // of a sample each, launched in turn
  std::uint64_t next_set_ = 0, next_graph_ = 0;
  bool censored_ = false;
};

}  // namespace nightshift::evaluator::cuda
