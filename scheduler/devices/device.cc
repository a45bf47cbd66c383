#include "scheduler/devices/device.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "base/text.h"

namespace nightshift::scheduler {
namespace {}  // namespace

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
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with("model name") || colon == std::string::npos) continue;
    return std::string(base::trimmed(std::string_view(line).substr(colon + 1)));
  }
  return "CPU";
}

}  // namespace nightshift::scheduler
