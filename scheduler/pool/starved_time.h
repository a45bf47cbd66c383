#pragma once

#include <optional>

#include "ipc/process_table.h"
#include "scheduler/clock.h"

namespace nightshift::scheduler {

// How much of the time since a job began its process could not use, however much it wanted to: it was
// ready and had no core, or the machine stood still, which shows in this process having been woken
// late. Who sleeps, waits for a device or computes for ever has no such time on an idle machine.
//
// Threads of a process that wait for each other's cores starve nobody but themselves: time counts as
// far as none of them ran in it.
class StarvedTime {
 public:
  using TimePoint = Clock::TimePoint;
  using Duration = TimePoint::duration;

  static constexpr double kLate = 0.2;     // seconds; less than that any loop may be late
  static constexpr double kLookEvery = 1;  // seconds; what ends in between is not seen

  // A job begins.
  void begin(TimePoint now);
  // This process wanted to be woken at `due` and was at `now`.
  void woke(TimePoint due, TimePoint now);
  // What the kernel says of the job's process now; nullopt: nothing.
  void look(const std::optional<ipc::CoreTimes>& times, TimePoint now);
  // Up to the last look.
  Duration so_far() const { return so_far_; }
  // Whether it is time for another look: at once after begin(), then now and then.
  bool wants_look(TimePoint now) const;

 private:
  Duration so_far_{}, late_{};  // late since the last look
  TimePoint looked_at_{};
  std::optional<ipc::CoreTimes> last_;
};

}  // namespace nightshift::scheduler
