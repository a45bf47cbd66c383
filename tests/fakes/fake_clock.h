#pragma once

#include "scheduler/clock.h"

namespace nightshift::fakes {

// Stands still until it is told to move.
class FakeClock final : public scheduler::Clock {
 public:
  TimePoint now() const override { return now_; }
  double unix_seconds() const override {
    return 1.7e9 + std::chrono::duration<double>(now_.time_since_epoch()).count();
  }
  void advance(double seconds) {
    now_ += std::chrono::duration_cast<TimePoint::duration>(std::chrono::duration<double>(seconds));
  }

 private:
  TimePoint now_{std::chrono::hours(1)};
};

}  // namespace nightshift::fakes
