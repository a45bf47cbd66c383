#pragma once

#include <cstdint>
#include <functional>

#include "evaluator/cuda/driver/context.h"

namespace nightshift::evaluator::cuda {

// Times what is put into the context's stream, by events on the device.
//
// The stream is held back by a gate (cuStreamWaitValue32 on a word of ours) until everything is in
// it, so that no gap between launches is this process's. Where the gate is not supported, or there
// is more to be put than the stream takes, time runs from the first launch on.
class DeviceTimer {
 public:
  explicit DeviceTimer(const Context& context);
  ~DeviceTimer();
  DeviceTimer(const DeviceTimer&) = delete;
  DeviceTimer& operator=(const DeviceTimer&) = delete;

  static constexpr std::uint64_t kMostSubmissions = 500;  // the stream holds 1,024

  // Seconds that the device took for what `enqueue` puts into the stream, in `submissions` calls.
  // Waits for it. Throws CudaError, also for what the work itself did.
  double time(std::uint64_t submissions, const std::function<void()>& enqueue);

  static constexpr double kTick = 5e-7;  // resolution of events, seconds

 private:
  const Context& context_;
  EventHandle start_ = nullptr;
  EventHandle end_ = nullptr;
  std::uint32_t* gate_ = nullptr;
  DevicePointer gate_address_ = 0;
  std::uint32_t rounds_ = 0;
};

// What `enqueue` puts into the stream, as a graph that is launched in one go.
class LaunchGraph {
 public:
  LaunchGraph(const Context& context, const std::function<void()>& enqueue);  // throws CudaError
  ~LaunchGraph();
  LaunchGraph(const LaunchGraph&) = delete;
  LaunchGraph& operator=(const LaunchGraph&) = delete;

  void launch() const;

 private:
  const Context& context_;
  GraphExecHandle graph_ = nullptr;
};

}  // namespace nightshift::evaluator::cuda
