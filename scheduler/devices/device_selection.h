#pragma once

#include <string>
#include <vector>

#include "scheduler/devices/device.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// How the cores of a machine become devices.
struct CoreDivision {
  int cores_per_device = 1;        // 0 = all
  bool fill_with_devices = false;  // as many devices as there is room for, not one
};

// The devices on `usable` cores, which are not fewer than one device needs. They are on the last
// cores, so that the first stays free for the scheduler and the builders where there are enough.
std::vector<std::vector<int>> divided(const std::vector<int>& usable, const CoreDivision& division);

// The CPU devices of this machine. `selection` is "all" (or empty) for what divided() says, or a
// list such as "cpu:1,cpu:2-3", each of at least as many cores. Throws DeviceError that lists what
// there is.
std::vector<Device> cpu_devices(const std::string& selection, const CoreDivision& division);
// What of a list for problems of several kinds is for one of this target; a recording needs no
// device in it. Throws DeviceError where nothing is.
std::string selection_for(search::Target target, const std::string& selection);
// The devices that `problem` runs on: cores, a recorded space, or GPUs (see gpu_selection.h), which
// `evaluator_program` looks for. Throws DeviceError.
std::vector<Device> devices_for(const search::Problem& problem, const std::string& selection,
                                const std::string& evaluator_program);
// The same where kinds may differ: the devices of each.
std::vector<std::vector<Device>> devices_by_kind(const search::Problem& problem,
                                                 const std::string& selection,
                                                 const std::string& evaluator_program);

}  // namespace nightshift::scheduler
