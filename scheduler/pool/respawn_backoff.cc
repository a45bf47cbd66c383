#include "scheduler/pool/respawn_backoff.h"

#include <algorithm>

#include "scheduler/seconds.h"

namespace nightshift::scheduler {

void RespawnBackoff::failed(TimePoint now) {
  ++failures_;
  wait(now);
}

int RespawnBackoff::refused(TimePoint now) {
  wait(now);
  return ++refusals_;
}

void RespawnBackoff::wait(TimePoint now) {
  not_before_ = now + seconds(delay_);
  delay_ = std::min(2 * delay_, std::max(first_, last_));
}

void RespawnBackoff::killed_by_others(TimePoint now) {
  ++foreign_;
  if (foreign_ > kFreeForeignKills) not_before_ = now + seconds(first_);
}

void RespawnBackoff::worked() {
  failures_ = 0;
  foreign_ = 0;
  refusals_ = 0;
  delay_ = first_;
}

}  // namespace nightshift::scheduler
