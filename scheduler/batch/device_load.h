#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "scheduler/batch/batch_plan.h"
#include "scheduler/clock.h"
#include "scheduler/job.h"

namespace nightshift::scheduler {

// How long devices of a batch have a job in hand, and how much of the time of a study others have
// on its devices, or pass while it has none.
class DeviceLoad {
 public:
  // By device: the study that measures there.
  using AtWork = std::vector<std::optional<std::size_t>>;

  DeviceLoad(std::size_t devices, Clock::TimePoint began);

  void add_device();                     // behind the others
  void begin_lease(DeviceIndex device);  // of a new owner

  // They were at work so since the last call. Adds to StudyStanding::shared.
  void until(Clock::TimePoint now, const AtWork& at_work,
             const std::vector<DeviceStanding>& devices, std::vector<StudyStanding>& studies);

  // Of the time since the lease began, `seconds` long.
  double busy_share(DeviceIndex device, double seconds) const;
  double busy_seconds(DeviceIndex device) const { return in_all_[device]; }

 private:
  std::vector<double> in_lease_, in_all_;  // seconds, by device
  Clock::TimePoint until_;
};

}  // namespace nightshift::scheduler
