#pragma once

#include "scheduler/clock.h"

namespace nightshift::scheduler {

// When the next process of one place may be started, after some that did not come up.
//
// A process that fails by itself costs `first` seconds, doubled each time up to `last`; after
// kOwnFailures in a row the place is given up. A SIGKILL that is not ours (out of memory, an
// operator) says nothing about the program: the first few cost nothing, and only kForeignKills in a
// row give up, so that a machine that kills everything still ends the run. What the system refuses
// for now (processes, memory, descriptors) is waited for in the same growing pauses, kRefusals of
// them: minutes.
class RespawnBackoff {
 public:
  using TimePoint = Clock::TimePoint;
  static constexpr int kOwnFailures = 5;
  static constexpr int kFreeForeignKills = 3;
  static constexpr int kForeignKills = 50;
  static constexpr int kRefusals = 60;

  RespawnBackoff(double first, double last) : first_(first), last_(last), delay_(first) {}

  void failed(TimePoint now);
  void killed_by_others(TimePoint now);
  int refused(TimePoint now);  // how many in a row
  void worked();

  TimePoint not_before() const { return not_before_; }
  bool exhausted() const {
    return failures_ >= kOwnFailures || foreign_ >= kForeignKills || refusals_ >= kRefusals;
  }
  int attempts() const { return failures_ + foreign_ + refusals_; }

 private:
  void wait(TimePoint now);

  double first_, last_, delay_;  // seconds
  int failures_ = 0;
  int foreign_ = 0;
  int refusals_ = 0;
  TimePoint not_before_{};
};

}  // namespace nightshift::scheduler
