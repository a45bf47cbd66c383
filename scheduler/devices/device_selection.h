#pragma once

#include <string>
#include <vector>

#include "scheduler/devices/device.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// The CPU devices of this machine for kernels that need `cores_per_device` cores: one device on
// the last cores, so that the first stays free for the scheduler and the builders where there are
// enough. `selection` is "all" (or empty) for that choice, or a list such as "cpu:1,cpu:2-3".
// Throws DeviceError that lists what there is.
std::vector<Device> cpu_devices(const std::string& selection, int cores_per_device);
// The devices that `problem` runs on: cores, a recorded space, or GPUs (see gpu_selection.h), which
// `evaluator_program` looks for. Throws DeviceError.
std::vector<Device> devices_for(const search::Problem& problem, const std::string& selection,
                                const std::string& evaluator_program);
}  // namespace nightshift::scheduler
