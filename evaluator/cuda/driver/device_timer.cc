#include "evaluator/cuda/driver/device_timer.h"

#include <atomic>

#include "evaluator/cuda/driver/cuda_error.h"
#include "evaluator/cuda/driver/driver.h"

namespace nightshift::evaluator::cuda {

DeviceTimer::DeviceTimer(const Context& context) : context_(context) {
  const Driver& d = driver();
  check(d.cuEventCreate(&start_, kEventDefault), "cuEventCreate");
  check(d.cuEventCreate(&end_, kEventDefault), "cuEventCreate");
  void* word = nullptr;
  if (d.cuMemHostAlloc(&word, sizeof *gate_, kHostMemoryMapped) != kSuccess) return;
  gate_ = static_cast<std::uint32_t*>(word);
  *gate_ = 0;
  const bool usable = d.cuMemHostGetDevicePointer_v2(&gate_address_, word, 0) == kSuccess &&
                      d.cuStreamWaitValue32_v2(context_.stream(), gate_address_, 0,
                                               kWaitGreaterOrEqual) == kSuccess;
  if (usable) return;
  d.cuMemFreeHost(gate_);
  gate_ = nullptr;
}

DeviceTimer::~DeviceTimer() {
  const Driver& d = driver();
  d.cuEventDestroy_v2(start_);
  d.cuEventDestroy_v2(end_);
  if (gate_ != nullptr) d.cuMemFreeHost(gate_);
}

double DeviceTimer::time(std::uint64_t submissions, const std::function<void()>& enqueue) {
  const Driver& d = driver();
  const bool gated = gate_ != nullptr && submissions <= kMostSubmissions;
  ++rounds_;
  if (gated) {
    check(d.cuStreamWaitValue32_v2(context_.stream(), gate_address_, rounds_, kWaitGreaterOrEqual),
          "holding the stream back");
  }
  // Opened however the launches go: a closed gate is a stream that never ends.
  struct Opener {
    std::uint32_t* gate;
    std::uint32_t round;
    ~Opener() {
      if (gate != nullptr) std::atomic_ref<std::uint32_t>(*gate).store(round);
    }
  };
  {
    const Opener opener{gate_, rounds_};
    check(d.cuEventRecord(start_, context_.stream()), "cuEventRecord");
    enqueue();
    check(d.cuEventRecord(end_, context_.stream()), "cuEventRecord");
  }
  check(d.cuEventSynchronize(end_), "running");
  float milliseconds = 0;
  check(d.cuEventElapsedTime(&milliseconds, start_, end_), "cuEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e-3;
}

LaunchGraph::LaunchGraph(const Context& context, const std::function<void()>& enqueue)
    : context_(context) {
  const Driver& d = driver();
  check(d.cuStreamBeginCapture_v2(context_.stream(), kCaptureThreadLocal), "capturing launches");
  GraphHandle graph = nullptr;
  try {
    enqueue();
  } catch (...) {
    d.cuStreamEndCapture(context_.stream(), &graph);
    if (graph != nullptr) d.cuGraphDestroy(graph);
    throw;
  }
  check(d.cuStreamEndCapture(context_.stream(), &graph), "capturing launches");
  const Result made = d.cuGraphInstantiateWithFlags(&graph_, graph, 0);
  d.cuGraphDestroy(graph);
  check(made, "cuGraphInstantiate");
  check(d.cuGraphUpload(graph_, context.stream()), "cuGraphUpload");  // else at its first launch
}

LaunchGraph::~LaunchGraph() { driver().cuGraphExecDestroy(graph_); }

void LaunchGraph::launch() const {
  check(driver().cuGraphLaunch(graph_, context_.stream()), "cuGraphLaunch");
}

}  // namespace nightshift::evaluator::cuda
