#include "scheduler/pool/phase_watch.h"

#include <algorithm>

#include "scheduler/seconds.h"

namespace nightshift::scheduler {

using search::Phase;

void PhaseWatch::start(search::Phase phase, double limit, double whole, std::uint64_t beat,
                       TimePoint now, double left) {
  whole_ = whole;
  whole_end_ = whole > 0 ? now + seconds(whole) : TimePoint::max();
  left_ = left;
  left_end_ = left > 0 ? now + seconds(left) : TimePoint::max();
  built_ = {};
  phase_ = phase;
  phase_begin_ = now;
  next_phase(phase, limit, beat, now);
}

void PhaseWatch::next_phase(search::Phase phase, double limit, std::uint64_t beat, TimePoint now) {
  if (phase_ == Phase::kBuild) {
    built_ += now - phase_begin_;
    if (whole_ > 0) whole_end_ += now - phase_begin_;
  }
  phase_ = phase;
  limit_ = limit;
  phase_begin_ = now;
  phase_end_ = now + seconds(limit) - (phase == Phase::kBuild ? built_ : TimePoint::duration{});
  look_at_ = now + (phase_end_ - now) * 3 / 4;
  beat_ = beat;
  looked_ = false;
  next_ = std::min(look_at_, deadline());
}

PhaseWatch::TimePoint PhaseWatch::deadline() const {
  const TimePoint whole = phase_ == Phase::kBuild ? TimePoint::max() : whole_end_;
  return std::min({phase_end_, whole, left_end_});
}

std::optional<PhaseWatch::Expired> PhaseWatch::check(std::uint64_t beat, TimePoint now) {
  if (!next_ || now < *next_) return std::nullopt;
  if (now >= deadline()) {
    next_.reset();
    const TimePoint end = deadline();
    const double limit = end == phase_end_ ? limit_ : end == left_end_ ? left_ : whole_;
    return Expired{phase_, limit, beat != beat_};
  }
  if (!looked_) {
    looked_ = true;
    beat_ = beat;
  }
  next_ = deadline();
  return std::nullopt;
}

}  // namespace nightshift::scheduler
