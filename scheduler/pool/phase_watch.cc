#include "scheduler/pool/phase_watch.h"

#include <algorithm>

#include "scheduler/seconds.h"

namespace nightshift::scheduler {

void PhaseWatch::start(search::Phase phase, double limit, double whole, std::uint64_t beat,
                       TimePoint now) {
  whole_ = whole;
  whole_end_ = whole > 0 ? now + seconds(whole) : TimePoint::max();
  next_phase(phase, limit, beat, now);
}

void PhaseWatch::next_phase(search::Phase phase, double limit, std::uint64_t beat, TimePoint now) {
  phase_ = phase;
  limit_ = limit;
  phase_end_ = now + seconds(limit);
  look_at_ = now + seconds(0.75 * limit);
  beat_ = beat;
  looked_ = false;
  next_ = std::min(look_at_, deadline());
}

PhaseWatch::TimePoint PhaseWatch::deadline() const { return std::min(phase_end_, whole_end_); }

std::optional<PhaseWatch::Expired> PhaseWatch::check(std::uint64_t beat, TimePoint now) {
  if (!next_ || now < *next_) return std::nullopt;
  if (now >= deadline()) {
    next_.reset();
    const bool by_whole = whole_end_ < phase_end_;
    return Expired{phase_, by_whole ? whole_ : limit_, beat != beat_};
  }
  if (!looked_) {
    looked_ = true;
    beat_ = beat;
  }
  next_ = deadline();
  return std::nullopt;
}

}  // namespace nightshift::scheduler
