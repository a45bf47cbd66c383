#include "scheduler/batch/device_load.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "scheduler/devices/core_sharing.h"

namespace nightshift::scheduler {

namespace {

double devices_of(std::size_t study, const std::vector<DeviceStanding>& devices) {
  return static_cast<double>(std::ranges::count_if(
      devices, [study](const DeviceStanding& device) { return device.is_owned_by(study); }));
}

// The share of its devices' time that an owner of the device did not have, since another one, or a
// guest, measured there or on its cores; and a guest's, of the devices that it owns. Whoever left a
// device idle lost nothing to the next owner.
void count_shared(const DeviceStanding& device, std::size_t measuring,
                  const std::vector<DeviceStanding>& devices, std::vector<double>& lost,
                  std::vector<double>& borrowed) {
  for (const std::size_t owner : device.owners) {
    const bool left_it =
        device.was_left_idle && owner == device.owners.front() && device.is_owned_by(measuring);
    if (owner != measuring && !left_it) lost[owner] += 1 / devices_of(owner, devices);
  }
  if (device.owners.empty() || device.is_owned_by(measuring)) return;
  borrowed[measuring] += 1 / std::max(1.0, devices_of(measuring, devices));
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
  std::vector<double> lost(studies.size()), borrowed(studies.size());
  for (DeviceIndex d = 0; d < at_work.size(); ++d) {
    if (at_work[d]) {
      in_lease_[d] += passed;
      in_all_[d] += passed;
    }
    if (const auto other = who(d)) count_shared(devices[d], *other, devices, lost, borrowed);
  }
  std::vector<bool> waits(studies.size());
  for (const Need& need : needs) {
    waits[need.study] = std::ranges::any_of(need.devices, [&](DeviceIndex d) {
      const auto other = who(d);
      return other && *other != need.study;
    });
  }
  for (std::size_t s = exchanges_.size(); s < studies.size(); ++s) {
    exchanges_.push_back({0, 0, studies[s].made_up});
  }
  for (std::size_t s = 0; s < studies.size(); ++s) {
    const bool has_none =
        studies[s].state == StudyStanding::State::kRunning && devices_of(s, devices) == 0;
    const bool is_still = waits[s] || has_none;
    const double seconds = passed * (is_still ? 1 : std::min(1.0, lost[s]));
    studies[s].shared += seconds;
    (is_still ? exchanges_[s].waited : exchanges_[s].lost) += seconds;
    exchanges_[s].borrowed += passed * borrowed[s];
    studies[s].made_up = std::max(studies[s].made_up, exchanges_[s].made_up());
  }
}

double DeviceLoad::busy_share(DeviceIndex device, double seconds) const {
  return seconds > 0 ? in_lease_[device] / seconds : 1;
}

}  // namespace nightshift::scheduler
