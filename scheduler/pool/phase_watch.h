#pragma once

#include <cstdint>
#include <optional>

#include "scheduler/clock.h"
#include "scheduler/pool/starved_time.h"
#include "search/trial.h"

namespace nightshift::scheduler {

// The deadlines of one child: of the phase it is in, and of the whole of what it does. Also looks
// at its heartbeat after three quarters of the time to the first of them, to tell slow (still
// beating) from hung.
class PhaseWatch {
 public:
  using TimePoint = Clock::TimePoint;

  struct Expired {
    search::Phase phase = search::Phase::kBoot;
    double limit_seconds = 0;  // the one that ran out: of the phase or of the whole
    bool progressing = false;
    bool is_doubt = false;  // what was measured was doubted then
  };

  // What limits all of it beside its phases, in seconds (0 = nothing). Phases of building have the limit
  // of one together. What is verified behind the samples, where kernels are doubted round by round, is
  // ours: each such phase has the limit of `work` at most, so that what hangs there costs no more than
  // elsewhere, and how many there are on a busy machine is not the candidate's doing.
  struct Whole {
    double work = 0;   // but for building, and for what is verified behind the samples
    double trial = 0;  // but for building
    double left = 0;   // all of it
  };
  // Something new begins.
  void start(search::Phase phase, double limit, const Whole& whole, std::uint64_t beat,
             TimePoint now);
  // The next phase of the same.
  void next_phase(search::Phase phase, double limit, std::uint64_t beat, TimePoint now);
  void stop() { next_.reset(); }

  // When check() wants to be called; nullopt while nothing is watched.
  std::optional<TimePoint> next() const { return next_; }
  std::optional<Expired> check(std::uint64_t beat, TimePoint now);

  // What the child could not use of the time since start(). Limits of phases and of the whole are
  // longer by it, to kMostTimes of what they are; what is left is not.
  static constexpr int kMostTimes = 5;
  StarvedTime& starved() { return starved_; }

 private:
  TimePoint deadline() const;
  void excuse_starvation();

  search::Phase phase_ = search::Phase::kBoot;
  double limit_ = 0;
  Whole whole_;
  TimePoint phase_begin_{}, phase_end_{}, work_end_{}, trial_end_{}, left_end_{}, look_at_{};
  TimePoint::duration built_{};    // in phases of building that are over
  TimePoint::duration excused_{};  // of what it was starved of
  StarvedTime starved_;
  std::uint64_t beat_ = 0;
  bool looked_ = false;
  bool is_behind_samples_ = false;  // nothing since but checks and builds
  std::optional<TimePoint> next_;
};

}  // namespace nightshift::scheduler
