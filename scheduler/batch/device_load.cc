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

// The share of its devices' time that an owner of the device did not have, since another one, or a
// guest, measured there or on its cores.
void count_shared(const DeviceStanding& device, std::size_t measuring,
                  const std::vector<DeviceStanding>& devices, std::vector<double>& lost) {
  for (const std::size_t owner : device.owners) {
    if (owner == measuring) continue;
    const auto owned = std::ranges::count_if(
        devices, [owner](const DeviceStanding& other) { return owns(other, owner); });
    lost[owner] += 1 / static_cast<double>(owned);
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
                       const std::vector<Need>& needs, const std::vector<DeviceStanding>& devices,
                       std::vector<StudyStanding>& studies) {
  const double passed = std::chrono::duration<double>(now - std::exchange(until_, now)).count();
  const auto who = [&](DeviceIndex d) { return at_work[d] ? at_work[d] : in_the_way[d]; };
  std::vector<double> lost(studies.size());
  for (DeviceIndex d = 0; d < at_work.size(); ++d) {
    if (at_work[d]) {
      in_lease_[d] += passed;
      in_all_[d] += passed;
    }
    if (const auto other = who(d)) count_shared(devices[d], *other, devices, lost);
  }
  for (const Need& need : needs) {
    const bool waits = std::ranges::any_of(need.devices, [&](DeviceIndex d) {
      const auto other = who(d);
      return other && *other != need.study;
    });
    if (waits) lost[need.study] = 1;
  }
  for (std::size_t s = 0; s < studies.size(); ++s) {
    const bool has_one =
        std::ranges::any_of(devices, [s](const DeviceStanding& device) { return owns(device, s); });
    if (studies[s].state == StudyStanding::State::kRunning && !has_one) lost[s] = 1;
    studies[s].shared += passed * std::min(1.0, lost[s]);
  }
}

double DeviceLoad::busy_share(DeviceIndex device, double seconds) const {
  return seconds > 0 ? in_lease_[device] / seconds : 1;
}

}  // namespace nightshift::scheduler
