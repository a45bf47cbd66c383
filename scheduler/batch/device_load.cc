#include "scheduler/batch/device_load.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "scheduler/devices/core_sharing.h"

namespace nightshift::scheduler {

namespace {

bool owns(const DeviceStanding& device, std::size_t study) {
  return std::ranges::find(device.owners, study) != device.owners.end();
}

// Time that an owner of the device did not have, since another one, or a guest, measured there or
// on its cores.
void count_shared(const DeviceStanding& device, std::size_t measuring, double passed,
                  const std::vector<DeviceStanding>& devices, std::vector<StudyStanding>& studies) {
  for (const std::size_t owner : device.owners) {
    if (owner == measuring) continue;
    const auto owned = std::ranges::count_if(
        devices, [owner](const DeviceStanding& other) { return owns(other, owner); });
    studies[owner].shared += passed / static_cast<double>(owned);
  }
}

}  // namespace

DeviceLoad::DeviceLoad(std::size_t devices, Clock::TimePoint began)
    : in_lease_(devices), in_all_(devices), until_(began) {}

void DeviceLoad::add_device() {
  in_lease_.push_back(0);
  in_all_.push_back(0);
}

void DeviceLoad::begin_lease(DeviceIndex device) { in_lease_[device] = 0; }

DeviceLoad::AtWork DeviceLoad::in_the_way(const AtWork& at_work,
                                          const std::vector<Device>& devices) {
  AtWork way(at_work.size());
  for (DeviceIndex idle = 0; idle < way.size(); ++idle) {
    for (DeviceIndex d = 0; d < way.size() && !at_work[idle] && !way[idle]; ++d) {
      if (at_work[d] && disturbs(devices[d], devices[idle])) way[idle] = at_work[d];
    }
  }
  return way;
}

void DeviceLoad::until(Clock::TimePoint now, const AtWork& at_work, const AtWork& in_the_way,
                       const std::vector<DeviceStanding>& devices,
                       std::vector<StudyStanding>& studies) {
  const double passed = std::chrono::duration<double>(now - std::exchange(until_, now)).count();
  for (DeviceIndex d = 0; d < at_work.size(); ++d) {
    if (at_work[d]) {
      in_lease_[d] += passed;
      in_all_[d] += passed;
    }
    const std::optional<std::size_t>& other = at_work[d] ? at_work[d] : in_the_way[d];
    if (other) count_shared(devices[d], *other, passed, devices, studies);
  }
  for (std::size_t s = 0; s < studies.size(); ++s) {
    const bool has_one =
        std::ranges::any_of(devices, [s](const DeviceStanding& device) { return owns(device, s); });
    if (studies[s].state == StudyStanding::State::kRunning && !has_one) studies[s].shared += passed;
  }
}

double DeviceLoad::busy_share(DeviceIndex device, double seconds) const {
  return seconds > 0 ? in_lease_[device] / seconds : 1;
}

}  // namespace nightshift::scheduler
