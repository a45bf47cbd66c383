#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/devices/clock_hold.h"
#include "scheduler/devices/device.h"
#include "scheduler/devices/device_lock.h"
#include "scheduler/forked_worker_pool.h"
#include "search/problem.h"

namespace nightshift::tools {

// The devices of whoever measures: they are locked against other runs, and GPUs held at the clocks
// that the problem asks for, until this object ends. Throws DeviceError.
//
// `wait`: so many seconds, while others use them: another nightshift, another process on a GPU, other
// work on the cores. Who has them is told. Without it others on a GPU or a core are borne.
class DeviceHold {
 public:
  DeviceHold(const search::Problem& problem, const std::vector<scheduler::Device>& devices,
             const std::string& evaluator_program, std::optional<double> wait = {});
  ~DeviceHold();
  DeviceHold(const DeviceHold&) = delete;
  DeviceHold& operator=(const DeviceHold&) = delete;

  // What a pool of these devices has to know: children of this process that it must leave alone,
  // and without which it is not to measure where the problem's clocks are strict; and what is not
  // as it was asked for or as it should be, to give notice of.
  void tell(scheduler::ForkedPoolOptions& pool) const;

 private:
  bool strict_;
  std::vector<std::string> warnings_;
  std::vector<scheduler::DeviceLock> locks_;
  scheduler::ClockHold clocks_;
};

// The UUIDs of those that are GPUs.
std::vector<std::string> gpu_uuids(const std::vector<scheduler::Device>& devices);

}  // namespace nightshift::tools
