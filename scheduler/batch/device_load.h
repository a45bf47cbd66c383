#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "scheduler/batch/batch_plan.h"
#include "scheduler/clock.h"
#include "scheduler/devices/device.h"
#include "scheduler/job.h"

namespace nightshift::scheduler {

// How long devices of a batch have a job in hand, and how much of the time of a study others have
// on its devices or on cores of these, or pass while it has none.
class DeviceLoad {
 public:
  // By device: the study that measures there.
  using AtWork = std::vector<std::optional<std::size_t>>;
  // A study needs all of these devices to go on: its confirmation has pairs to measure on each.
  struct Need {
    std::size_t study = 0;
    std::vector<DeviceIndex> devices;
  };

  // By device where nobody measures: the study that does on a device of the same cores.
  static AtWork in_the_way(const AtWork& at_work, const std::vector<Device>& devices);

  DeviceLoad(std::size_t devices, Clock::TimePoint began);

  void add_device();                     // behind the others
  void begin_lease(DeviceIndex device);  // of a new owner

  // They were at work, and in the way of others, so since the last call, and in need. Adds to
  // StudyStanding::shared, of no study more than has passed, and to made_up.
  void until(Clock::TimePoint now, const AtWork& at_work, const AtWork& in_the_way,
             const std::vector<Need>& needs, const std::vector<DeviceStanding>& devices,
             std::vector<StudyStanding>& studies);

  // Of the time since the lease began, `seconds` long.
  double busy_share(DeviceIndex device, double seconds) const;
  double busy_seconds(DeviceIndex device) const { return in_all_[device]; }

 private:
  // Of a study, in seconds: what others had of its devices, what it had of theirs, and when nothing
  // of it could go on.
  struct Exchange {
    double lost = 0, borrowed = 0, waited = 0;
    double made_up() const { return waited + std::max(0.0, lost - borrowed); }
  };

  std::vector<double> in_lease_, in_all_;  // seconds, by device
  std::vector<Exchange> exchanges_;        // by study
  Clock::TimePoint until_;
};

}  // namespace nightshift::scheduler
