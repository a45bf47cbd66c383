#pragma once

#include <time.h>

#include <algorithm>
#include <atomic>
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
//
// What a journal gets later has no earlier time: whoever goes on with one says what it has reached.
// Where the machine's clock is behind that (it was set back, or another machine wrote the journal)
// the record's goes on from there, and differs from the machine's as if that had been set.
class SystemClock final : public Clock {
 public:
  TimePoint now() const override { return std::chrono::steady_clock::now(); }
  double unix_seconds() const override { return began() + seconds_of(CLOCK_BOOTTIME); }
  double wall_seconds() const override { return seconds_of(CLOCK_REALTIME); }

  // Before anything is timed. A time that no clock can have had is passed over.
  static void go_on_after(double last) {
    const double behind = last - SystemClock().unix_seconds();
    if (behind >= 0 && behind < kMostBehind) began() += behind + kBetweenRuns;
  }
  // So much later, as it is not known how long nobody was at it. It is more than the journals of
  // one batch, which are written in turn, may differ by, and no setting that is worth a word.
  static constexpr double kBetweenRuns = 1.5;

 private:
  static constexpr double kMostBehind = 3.2e9;  // a century

  static std::atomic<double>& began() {
    static std::atomic<double> began = seconds_of(CLOCK_REALTIME) - seconds_of(CLOCK_BOOTTIME);
    return began;
  }
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
