#pragma once

#include <algorithm>
#include <chrono>

#include "scheduler/clock.h"
#include "scheduler/worker_pool.h"

namespace nightshift::scheduler {

// What a signal asks for: the first stops whatever would be started, and leaves what is under way
// kGrace to end; the next stops at once.
class InterruptGrace {
 public:
  static constexpr std::chrono::seconds kGrace{10};

  // True for the first.
  bool on(const Interrupted& interrupted, Clock::TimePoint now) {
    const bool first = count_ == 0;
    if (first) end_ = now + kGrace;
    count_ = std::max(count_ + 1, interrupted.count);
    return first;
  }
  bool stopping() const { return count_ > 0; }
  bool is_over(bool busy, Clock::TimePoint now) const {
    return stopping() && (!busy || count_ > 1 || now >= end_);
  }
  // The earlier of `deadline` and the end of the grace.
  Clock::TimePoint within(Clock::TimePoint deadline) const {
    return stopping() ? std::min(deadline, end_) : deadline;
  }

 private:
  int count_ = 0;
  Clock::TimePoint end_;
};

}  // namespace nightshift::scheduler
