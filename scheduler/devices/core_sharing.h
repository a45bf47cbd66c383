#pragma once

#include <optional>
#include <vector>

#include "scheduler/devices/device.h"

namespace nightshift::scheduler {

// A device without cores (a GPU, a recorded space) cannot be disturbed on the CPU. A device with
// cores is disturbed by whatever runs on one of them, and by whatever is pinned nowhere; nothing of
// another node disturbs it.
bool disturbs(const Device& loading, const Device& measuring);

// Who would disturb whose measurement by using the same cores.
class CoreSharing {
 public:
  // `usable` = the cores of this machine that we may use.
  CoreSharing(const std::vector<Device>& devices, const std::vector<int>& builder_cores,
              const std::vector<int>& usable);

  bool device_disturbs(std::size_t device, std::size_t measuring) const {
    return devices_[device][measuring];
  }
  bool builders_disturb(std::size_t measuring) const { return builders_[measuring]; }

  // Where a hot spare can be started while any device measures: the builders' cores, else what no
  // device uses; empty = anywhere, where no device is pinned. nullopt: there is no such place, and
  // starting a spare between trials would cost what it is to save.
  const std::optional<std::vector<int>>& spare_cores() const { return spare_cores_; }

 private:
  std::vector<std::vector<bool>> devices_;
  std::vector<bool> builders_;
  std::optional<std::vector<int>> spare_cores_;
};

}  // namespace nightshift::scheduler
