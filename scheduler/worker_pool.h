#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/devices/device.h"
#include "scheduler/job.h"

namespace nightshift::scheduler {

// --- What wait() reports, besides the end of a job ---

// Evaluators of this device cannot be started or refuse the problem, after back-off; the pool takes
// the device out of service. Trials in hand there were reported before as DeviceLost.
struct DeviceFailed {
  DeviceIndex device = 0;
  std::string reason;
};
struct DeviceJoined {
  DeviceIndex device = 0;
};
// The device cannot be reached. It may come back, which is said, or fail; what nobody else can do
// is not waited for meanwhile. No trial is in hand there: each was reported before as DeviceLost.
struct DeviceAway {
  DeviceIndex device = 0;
  std::string reason;
};
struct DeviceBack {
  DeviceIndex device = 0;
};
// One of ipc::kStopSignals arrived; counts up. Those that come close together count once (see
// pool/pool_signals.h).
struct Interrupted {
  static constexpr int kWhoMeasuresHasEnded = -1;  // no signal: a client has closed its channel
  int count = 1;
  int signal = 0;  // 0 where it is not known
};
// ipc::kWindUpSignal arrived.
struct WindUp {};
// Something happened beside the devices that whoever reads the results ought to know.
struct Notice {
  std::string text;
  std::optional<DeviceIndex> lacks = {};  // the device for which no process can be started for now
};
// The deadline passed, or a place became free: can_measure() or can_build() may say more than
// before.
struct Nothing {};

using PoolEvent = std::variant<Nothing, JobEnded, DeviceFailed, DeviceJoined, DeviceAway,
                               DeviceBack, Interrupted, WindUp, Notice>;

// Where the jobs of one study run. Every start() is answered by exactly one JobEnded, whatever
// happens to the processes; there is no other way for a trial to be lost.
class JobPlaces {
 public:
  virtual ~JobPlaces() = default;

  virtual const std::vector<Device>& devices() const = 0;
  // Devices are still expected.
  virtual bool may_grow() const { return false; }
  // A measurement may start there now: the device is in service, its evaluator is idle, and nothing
  // of ours loads its cores.
  virtual bool can_measure(DeviceIndex device) const = 0;
  // A build may start now without disturbing a measurement.
  virtual bool can_build() const = 0;
  virtual int builder_count() const = 0;

  // Seconds from the end of a job on the device to the beginning of the one that is started then; 0
  // where nothing is on the way. A far device waits so long between two jobs, unless it has the
  // next one before: where can_queue() says so, a second job may be started, which the device
  // begins by itself.
  virtual double delay(DeviceIndex /*device*/) const { return 0; }
  virtual bool can_queue(DeviceIndex /*device*/) const { return false; }
  // A second job that the device has not begun ends, as one that was not begun.
  virtual void recall(DeviceIndex /*device*/) {}

  // Needs can_measure(job.device) or can_queue(job.device), or can_build() for a build.
  virtual void start(const Job& job) = 0;
  // Puts a device out of service (quarantine); its evaluators end.
  virtual void retire(DeviceIndex device, const std::string& reason) = 0;
};

// Places whose events one study waits for alone. Studies that share devices have each its places,
// and one loop waits for them all (shared_pool.h).
class WorkerPool : public JobPlaces {
 public:
  // The next event, waiting until `deadline` at the latest.
  virtual PoolEvent wait(std::optional<Clock::TimePoint> deadline) = 0;
};

}  // namespace nightshift::scheduler
