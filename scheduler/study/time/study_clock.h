#pragma once

#include <chrono>
#include <optional>

#include "scheduler/clock.h"

namespace nightshift::scheduler {

// The time that a study has used. A run's own time starts when something can be built first, or
// measured where nothing is built: what processes import before that is no part of a budget.
class StudyClock {
 public:
  explicit StudyClock(const Clock& clock) : clock_(clock) {}  // which outlives it

  void had_earlier(double seconds) { earlier_ = seconds; }  // in all runs before this one
  void begin_run() { began_ = clock_.now(); }
  void start() { started_ = clock_.now(); }
  // Of this run (StudyStanding::shared); 0 where the study is alone.
  void others_had(double seconds) { others_ = seconds; }
  double others() const { return others_; }
  bool has_started() const { return started_.has_value(); }

  double run_seconds() const { return started_ ? seconds(*started_, clock_.now()) : 0; }
  double elapsed() const { return earlier_ + run_seconds(); }  // of all runs
  // So long this run has waited for its start; 0 while it does.
  double waited() const { return started_ ? seconds(began_, *started_) : 0; }

 private:
  static double seconds(Clock::TimePoint from, Clock::TimePoint to) {
    return std::chrono::duration<double>(to - from).count();
  }

  const Clock& clock_;
  double earlier_ = 0, others_ = 0;
  Clock::TimePoint began_;
  std::optional<Clock::TimePoint> started_;
};

}  // namespace nightshift::scheduler
