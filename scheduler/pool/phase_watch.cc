#include "scheduler/pool/phase_watch.h"

#include <algorithm>

#include "scheduler/seconds.h"

namespace nightshift::scheduler {

using search::Phase;

namespace {

PhaseWatch::TimePoint end_of(double limit, PhaseWatch::TimePoint now) {
  return limit > 0 ? now + seconds(limit) : PhaseWatch::TimePoint::max();
}

// Whether what is done there is our doubt of what was measured.
bool is_ours(Phase phase, bool is_behind_samples) {
  return phase == Phase::kVerify && is_behind_samples;
}

void extend(PhaseWatch::TimePoint& end, PhaseWatch::TimePoint::duration by) {
  if (end != PhaseWatch::TimePoint::max()) end += by;
}

}  // namespace

void PhaseWatch::start(search::Phase phase, double limit, const Whole& whole, std::uint64_t beat,
                       TimePoint now) {
  whole_ = whole;
  work_end_ = end_of(whole.work, now);
  trial_end_ = end_of(whole.trial, now);
  left_end_ = end_of(whole.left, now);
  built_ = {};
  excused_ = {};
  starved_.begin(now);
  is_behind_samples_ = false;
  phase_ = phase;
  phase_begin_ = now;
  next_phase(phase, limit, beat, now);
}

void PhaseWatch::next_phase(search::Phase phase, double limit, std::uint64_t beat, TimePoint now) {
  const TimePoint::duration took = now - phase_begin_;
  if (phase_ == Phase::kBuild || is_ours(phase_, is_behind_samples_)) extend(work_end_, took);
  if (phase_ == Phase::kBuild) {
    built_ += took;
    extend(trial_end_, took);
  }
  const bool goes_on = phase == Phase::kVerify || phase == Phase::kBuild;
  is_behind_samples_ = phase == Phase::kMeasure || (is_behind_samples_ && goes_on);
  phase_ = phase;
  limit_ =
      is_ours(phase, is_behind_samples_) && whole_.work > 0 ? std::min(limit, whole_.work) : limit;
  phase_begin_ = now;
  phase_end_ = now + seconds(limit_) - (phase == Phase::kBuild ? built_ : TimePoint::duration{});
  look_at_ = now + (deadline() - now) * 3 / 4;
  beat_ = beat;
  looked_ = false;
  next_ = std::min(look_at_, deadline());
}

PhaseWatch::TimePoint PhaseWatch::deadline() const {
  const bool builds = phase_ == Phase::kBuild;
  const TimePoint work =
      builds || is_ours(phase_, is_behind_samples_) ? TimePoint::max() : work_end_;
  return std::min({phase_end_, work, builds ? TimePoint::max() : trial_end_, left_end_});
}

void PhaseWatch::excuse_starvation() {
  const double limit = whole_.work > 0 ? std::min(limit_, whole_.work) : limit_;
  const TimePoint::duration all = std::min(starved_.so_far(), seconds((kMostTimes - 1) * limit));
  if (all <= excused_) return;
  phase_end_ += all - excused_;
  extend(work_end_, all - excused_);
  extend(trial_end_, all - excused_);
  excused_ = all;
}

std::optional<PhaseWatch::Expired> PhaseWatch::check(std::uint64_t beat, TimePoint now) {
  if (!next_ || now < *next_) return std::nullopt;
  if (now >= deadline()) excuse_starvation();
  if (now >= deadline()) {
    next_.reset();
    const TimePoint end = deadline();
    const double limit = end == phase_end_   ? limit_
                         : end == left_end_  ? whole_.left
                         : end == trial_end_ ? whole_.trial
                                             : whole_.work;
    return Expired{phase_, limit, beat != beat_, is_ours(phase_, is_behind_samples_)};
  }
  if (!looked_) {
    looked_ = true;
    beat_ = beat;
  }
  next_ = deadline();
  return std::nullopt;
}

}  // namespace nightshift::scheduler
