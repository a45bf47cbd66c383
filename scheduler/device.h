#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ipc/messages.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// One GPU, one set of CPU cores, or one recorded space.
struct Device {
  std::string node;         // host name
  std::string uuid;         // "cpu:1", "cpu:2-5", "GPU-5a6c...", "recorded:convolution-A100"
  std::string name;         // for people: model name
  std::vector<int> cores;   // that an evaluator of it is pinned to; empty = not pinned
  ipc::GpuTarget gpu = {};  // of a GPU; its uuid is the device's
  std::string users = {};   // for people: who else uses it, as far as is known

  std::string key() const { return node + "/" + uuid; }  // identity across runs
};

// The CPU devices of this machine for kernels that need `cores_per_device` cores: one device on
// the last cores, so that the first stays free for the scheduler and the builders where there are
// enough. `selection` is "all" (or empty) for that choice, or a list such as "cpu:1,cpu:2-3".
// Throws DeviceError that lists what there is.
std::vector<Device> cpu_devices(const std::string& selection, int cores_per_device);
// The devices that `problem` runs on: cores, a recorded space, or GPUs (see gpu_selection.h), which
// `evaluator_program` looks for. Throws DeviceError.
std::vector<Device> devices_for(const search::Problem& problem, const std::string& selection,
                                const std::string& evaluator_program);
// Cores of this machine that we may use, in order.
std::vector<int> usable_cores();
std::string cpu_model();
std::string node_name();  // of this host

}  // namespace nightshift::scheduler
