#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>

namespace nightshift::scheduler {

// Time is passed in, so that deadlines and budgets can be tested in microseconds.
class Clock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  virtual ~Clock() = default;
  virtual TimePoint now() const = 0;  // never goes back; for deadlines and durations
  // For the record. It goes on evenly, also while the machine sleeps: two times of one process tell
  // what lies between them, whoever sets the machine's clock meanwhile.
  virtual double unix_seconds() const = 0;
  // The time of the day that the machine has now: for what others told as one.
  virtual double wall_seconds() const = 0;
};

// As the machine's clock was when this process asked first, and evenly from there on.
class SystemClock final : public Clock {
 public:
  TimePoint now() const override { return std::chrono::steady_clock::now(); }
  double unix_seconds() const override {
    static const double began = seconds_of(CLOCK_REALTIME) - seconds_of(CLOCK_BOOTTIME);
    return began + seconds_of(CLOCK_BOOTTIME);
  }
  double wall_seconds() const override { return seconds_of(CLOCK_REALTIME); }

 private:
  static double seconds_of(clockid_t id) {
    timespec now{};
    ::clock_gettime(id, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
};

// How far the machine's clock was set forward (back: negative) since the record's began.
inline double clock_shift(const Clock& clock) {
  const double before = clock.unix_seconds();
  const double wall = clock.wall_seconds();
  const double after = clock.unix_seconds();
  return std::clamp(0.0, wall - after, wall - before);
}
// What is less is no setting of it: how long it takes to ask both.
inline constexpr double kLeastShift = 2;

// Seconds between two times of a record. Never negative: those of two processes have two clocks,
// one of which may have been set.
inline double recorded_seconds(double from, double until) { return std::max(0.0, until - from); }

}  // namespace nightshift::scheduler
