#pragma once

#include <algorithm>
#include <chrono>

#include "scheduler/clock.h"

namespace nightshift::fakes {

// Stands still until it is told to move, for simulated devices. Differs from the system's clock in
// both epochs, so that mistaking one for the other shows.
class FakeClock final : public scheduler::Clock {
 public:
  TimePoint now() const override { return now_; }
  double unix_seconds() const override {
    return 1.7e9 + std::chrono::duration<double>(now_.time_since_epoch()).count();
  }
  double wall_seconds() const override { return unix_seconds() + set_; }
  // The machine's clock, so far from the record's.
  void set(double seconds) { set_ = seconds; }
  void advance(double seconds) {
    now_ += std::chrono::duration_cast<TimePoint::duration>(std::chrono::duration<double>(seconds));
  }
  // Does nothing where that moment is past.
  void reach(TimePoint moment) { now_ = std::max(now_, moment); }

 private:
  double set_ = 0;
  TimePoint now_{std::chrono::hours(1)};
};

}  // namespace nightshift::fakes
