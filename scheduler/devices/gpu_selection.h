#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/devices/device.h"
#include "scheduler/devices/gpu_discovery.h"

namespace nightshift::scheduler {

// Whether an item of a selection is of the form of a GPU's, there or not.
bool is_called_as_gpu(std::string_view item);
// The GPUs of `list` that `selection` names: "all" (or empty), or a list of positions ("gpu:0"),
// UUIDs, and beginnings of UUIDs that mean one GPU. Throws DeviceError that says what to do, also
// where they are not all of one architecture and size: machine code and tuned configurations of one
// are none for the other. "all" passes over GPUs that the driver wants to be reset, as long as one
// is left.
std::vector<Device> gpu_devices(const GpuList& list, const std::string& selection);
// The same, of several architectures and sizes: those of each, in the order of the first of them.
std::vector<std::vector<Device>> gpu_devices_by_kind(const GpuList& list,
                                                     const std::string& selection);

}  // namespace nightshift::scheduler
