#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/devices/clock_hold.h"
#include "scheduler/devices/device.h"
#include "scheduler/devices/device_lock.h"
#include "scheduler/forked_worker_pool.h"
#include "search/problem.h"

namespace nightshift::tools {

void tell_who_has_them(const std::string& user);  // on standard error
// Throws scheduler::StoppedEarly where a stop signal waits (ipc::HeldStopSignals).
double sleep_a_second();
// How long devices are waited for.
struct HoldPatience {
  std::optional<double> seconds;  // nullopt: not at all
  std::function<void(const std::string& user)> say = tell_who_has_them;
  std::function<double()> pause = sleep_a_second;  // before each look; returns how long it took
};

// Before anything is allocated: throws DeviceError where the devices of this machine, or its memory,
// cannot hold the arguments of the problem (evaluator::beyond_memory()).
void refuse_beyond_memory(const search::Problem& problem,
                          const std::vector<scheduler::Device>& devices);

// scheduler::devices_for(), of a problem whose arguments they can hold. Throws DeviceError.
std::vector<scheduler::Device> devices_with_room_for(const search::Problem& problem,
                                                     const std::string& selection,
                                                     const std::string& evaluator_program);

// The devices of whoever measures: they are locked against other runs, and GPUs held at the clocks
// that the problem asks for, until this object ends. Throws DeviceError, also where they cannot hold
// the problem's arguments.
//
// They may be waited for while others use them: another nightshift, another process on a GPU, other
// work on the cores. Else others on a GPU or a core are borne.
class DeviceHold {
 public:
  DeviceHold(const search::Problem& problem, const std::vector<scheduler::Device>& devices,
             const std::string& evaluator_program, const HoldPatience& patience = {});
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
