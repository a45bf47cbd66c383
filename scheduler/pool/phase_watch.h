#pragma once

#include <cstdint>
#include <optional>

#include "scheduler/clock.h"
#include "search/trial.h"

namespace nightshift::scheduler {

// The deadlines of one child: of the phase it is in, and of the whole of what it does. Also looks
// at its heartbeat after three quarters of the phase's limit, to tell slow (still beating) from
// hung.
class PhaseWatch {
 public:
  using TimePoint = Clock::TimePoint;

  struct Expired {
    search::Phase phase = search::Phase::kBoot;
    double limit_seconds = 0;  // the one that ran out: of the phase or of the whole
    bool progressing = false;
  };

  // Something new begins, limited as a whole (0 = only by its phases). Phases of building are no
  // part of that; all of them together have the limit of one. `left` is the limit of all that it
  // does, building included (0 = none).
  void start(search::Phase phase, double limit, double whole, std::uint64_t beat, TimePoint now,
             double left = 0);
  // The next phase of the same.
  void next_phase(search::Phase phase, double limit, std::uint64_t beat, TimePoint now);
  void stop() { next_.reset(); }

  // When check() wants to be called; nullopt while nothing is watched.
  std::optional<TimePoint> next() const { return next_; }
  std::optional<Expired> check(std::uint64_t beat, TimePoint now);

 private:
  TimePoint deadline() const;

  search::Phase phase_ = search::Phase::kBoot;
  double limit_ = 0, whole_ = 0, left_ = 0;
  TimePoint phase_begin_{}, phase_end_{}, whole_end_{}, left_end_{}, look_at_{};
  TimePoint::duration built_{};  // in phases of building that are over
  std::uint64_t beat_ = 0;
  bool looked_ = false;
  std::optional<TimePoint> next_;
};

}  // namespace nightshift::scheduler
