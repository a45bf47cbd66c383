#pragma once

#include <chrono>

namespace nightshift::scheduler {

// Time is passed in, so that deadlines and budgets can be tested in microseconds.
class Clock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  virtual ~Clock() = default;
  virtual TimePoint now() const = 0;        // never goes back; for deadlines and durations
  virtual double unix_seconds() const = 0;  // for the record
};

class SystemClock final : public Clock {
 public:
  TimePoint now() const override { return std::chrono::steady_clock::now(); }
  double unix_seconds() const override {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
};

}  // namespace nightshift::scheduler
