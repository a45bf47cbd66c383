#include "scheduler/devices/core_sharing.h"

#include <algorithm>

namespace nightshift::scheduler {
namespace {

bool contains(const std::vector<int>& cores, int core) {
  return std::find(cores.begin(), cores.end(), core) != cores.end();
}

bool disturbs(const std::vector<int>& loaded, const std::vector<int>& measured) {
  if (measured.empty()) return false;
  if (loaded.empty()) return true;
  return std::any_of(loaded.begin(), loaded.end(),
                     [&](int core) { return contains(measured, core); });
}

bool disturbs_any(const std::vector<int>& loaded, const std::vector<Device>& devices) {
  return std::any_of(devices.begin(), devices.end(),
                     [&](const Device& d) { return disturbs(loaded, d.cores); });
}

std::optional<std::vector<int>> find_spare_cores(const std::vector<Device>& devices,
                                                 const std::vector<int>& builder_cores,
                                                 const std::vector<int>& usable) {
  if (!disturbs_any(builder_cores, devices)) return builder_cores;
  std::vector<int> unused;
  for (const int core : usable) {
    if (!disturbs_any({core}, devices)) unused.push_back(core);
  }
  if (unused.empty()) return std::nullopt;
  return unused;
}

}  // namespace

bool disturbs(const Device& loading, const Device& measuring) {
  return loading.node == measuring.node && disturbs(loading.cores, measuring.cores);
}

CoreSharing::CoreSharing(const std::vector<Device>& devices, const std::vector<int>& builder_cores,
                         const std::vector<int>& usable)
    : spare_cores_(find_spare_cores(devices, builder_cores, usable)) {
  for (const Device& loading : devices) {
    std::vector<bool>& row = devices_.emplace_back();
    for (const Device& measuring : devices) {
      row.push_back(&loading != &measuring && disturbs(loading, measuring));
    }
  }
  for (const Device& measuring : devices) {
    builders_.push_back(disturbs(builder_cores, measuring.cores));
  }
}

}  // namespace nightshift::scheduler
