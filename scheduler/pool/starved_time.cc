#include "scheduler/pool/starved_time.h"

#include <algorithm>

#include "scheduler/seconds.h"

namespace nightshift::scheduler {

void StarvedTime::begin(TimePoint now) {
  *this = {};
  looked_at_ = now;
}

void StarvedTime::woke(TimePoint due, TimePoint now) {
  if (now - due > seconds(kLate)) late_ += now - due;
}

bool StarvedTime::wants_look(TimePoint now) const {
  return !last_ || now - looked_at_ >= seconds(kLookEvery);
}

void StarvedTime::look(const std::optional<ipc::CoreTimes>& times, TimePoint now) {
  Duration waited{};
  if (times && last_) {
    const double wall = std::chrono::duration<double>(now - looked_at_).count();
    const double idle = wall - std::max(0.0, times->ran - last_->ran);
    waited = seconds(std::clamp(times->waited - last_->waited, 0.0, std::max(0.0, idle)));
  }
  so_far_ += std::max(late_, waited);
  late_ = {};
  last_ = times;
  looked_at_ = now;
}

}  // namespace nightshift::scheduler
