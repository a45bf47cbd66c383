#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ipc/cores.h"
#include "ipc/messages.h"
#include "search/identity.h"

namespace nightshift::scheduler {

// One GPU, one set of CPU cores, or one recorded space.
struct Device {
  std::string node;                // host name
  std::string uuid;                // "cpu:1", "cpu:2-5", "GPU-5a6c...", "recorded:convolution-A100"
  std::string name;                // for people: model name
  std::vector<int> cores;          // that an evaluator of it is pinned to; empty = not pinned
  ipc::GpuTarget gpu = {};         // of a GPU; its uuid is the device's
  std::uint64_t memory_bytes = 0;  // of a GPU of this machine; 0: not known
  std::string users = {};          // for people: who else uses it, as far as is known
  // Of a device of another machine: what its figures depend on there (machine_identity()).
  search::Identity made_of = {};

  std::string key() const { return node + "/" + uuid; }  // identity across runs
  // Devices of one kind differ by chance alone: "NVIDIA H100 80GB HBM3, compute capability 90".
  std::string kind() const;
};

// Adds what `device` is not known to be made of yet: by another problem on it.
void add_parts(Device& device, const search::Identity& parts);

using ipc::usable_cores;
std::string cpu_model();
std::string node_name();  // of this host

}  // namespace nightshift::scheduler
