#include "scheduler/devices/device.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "scheduler/devices/kernel_file.h"

namespace nightshift::scheduler {

std::string Device::kind() const {
  if (gpu.uuid.empty()) return name;
  return name + ", compute capability " + std::to_string(gpu.architecture);
}

void add_parts(Device& device, const search::Identity& parts) {
  for (const search::IdentityPart& part : parts) {
    if (std::ranges::find(device.made_of, part) == device.made_of.end()) {
      device.made_of.push_back(part);
    }
  }
}

std::string node_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string cpu_model() {
  const std::string model = value_in("/proc/cpuinfo", "model name", ':');
  return model.empty() ? "CPU" : model;
}

}  // namespace nightshift::scheduler
