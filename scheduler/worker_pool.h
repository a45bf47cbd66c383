#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ipc/messages.h"
#include "scheduler/clock.h"
#include "scheduler/devices/device.h"
#include "search/problem.h"
#include "search/trial.h"

namespace nightshift::scheduler {

using DeviceIndex = std::size_t;  // position in WorkerPool::devices(); only within one run

// A trial that is to be measured on a device.
struct MeasureOrder {
  search::TrialId trial;
  std::uint32_t attempt = 1;
  DeviceIndex device = 0;
  bool fresh_process = false;  // must be an evaluator that has served no trial yet
  ipc::EvaluateRequest request;
};
// A trial that is to be built.
struct BuildOrder {
  search::TrialId trial;
  std::uint32_t attempt = 1;
  ipc::BuildRequest request;
};

// --- What wait() reports ---

// The trial ended. `fresh_process`: the evaluator had served no trial before this one, so nothing
// but this trial can have harmed it.
struct MeasureDone {
  search::TrialId trial;
  std::uint32_t attempt = 1;
  DeviceIndex device = 0;
  search::TrialReport report;
  bool fresh_process = false;
  bool killed_by_others = false;  // SIGKILL that was not ours: out of memory, an operator
};
struct BuildDone {
  search::TrialId trial;
  std::uint32_t attempt = 1;
  std::variant<ipc::Artifact, search::TrialOutcome> result;  // the outcome is a failure
  double seconds = 0;
  bool fresh_process = false;
  bool killed_by_others = false;
};
// Evaluators of this device cannot be started or refuse the problem, after back-off; the pool takes
// the device out of service. Trials in hand there were reported before as DeviceLost.
struct DeviceFailed {
  DeviceIndex device = 0;
  std::string reason;
};
struct DeviceJoined {
  DeviceIndex device = 0;
};
// SIGINT, SIGTERM or SIGHUP arrived; counts up. Signals within half a second count once, since
// Slurm sends each twice.
struct Interrupted {
  int count = 1;
};
// Something happened beside the devices that whoever reads the results ought to know.
struct Notice {
  std::string text;
};
// The deadline passed, or a place became free: can_measure() or can_build() may say more than
// before.
struct Nothing {};

using PoolEvent =
    std::variant<Nothing, MeasureDone, BuildDone, DeviceFailed, DeviceJoined, Interrupted, Notice>;

// Runs trials somewhere and says how they ended. Every start() is answered by exactly one Done
// event, whatever happens to the processes; there is no other way for a trial to be lost.
class WorkerPool {
 public:
  virtual ~WorkerPool() = default;

  virtual const std::vector<Device>& devices() const = 0;
  // A measurement may start there now: the device is in service, its evaluator is idle, and nothing
  // of ours loads its cores.
  virtual bool can_measure(DeviceIndex device) const = 0;
  // A build may start now without disturbing a measurement.
  virtual bool can_build() const = 0;
  virtual int builder_count() const = 0;

  virtual void measure(const MeasureOrder& order) = 0;  // needs can_measure(order.device)
  virtual void build(const BuildOrder& order) = 0;      // needs can_build()
  // Puts a device out of service (quarantine); its evaluators end.
  virtual void retire(DeviceIndex device, const std::string& reason) = 0;

  // The next event, waiting until `deadline` at the latest.
  virtual PoolEvent wait(std::optional<Clock::TimePoint> deadline) = 0;
};

}  // namespace nightshift::scheduler
