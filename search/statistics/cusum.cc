#include "search/statistics/cusum.h"

#include <algorithm>
#include <cmath>

#include "search/statistics/summary.h"

namespace nightshift::search {

Cusum::Cusum(double target, double slack, double limit)
    : fixed_(true), known_(true), target_(target), slack_(slack), limit_(limit) {}

void Cusum::learn(double x) {
  first_.push_back(x);
  good_up_ = good_down_ = count_;
  if (first_.size() < kLearned) return;
  target_ = median_of(first_);
  const double sd = std::max(mad_of(first_), sd_floor_);
  slack_ = kSlack * sd;
  limit_ = kLimit * sd;
  known_ = true;
}

Cusum::Alarm Cusum::add(double x) {
  if (!std::isfinite(x)) return Alarm::kNone;
  ++count_;
  if (!known_) {
    learn(x);
    return Alarm::kNone;
  }
  up_ = std::max(0.0, up_ + (x - target_) - slack_);
  down_ = std::max(0.0, down_ + (target_ - x) - slack_);
  if (up_ == 0) good_up_ = count_;
  if (down_ == 0) good_down_ = count_;
  if (std::max(up_, down_) <= limit_) return Alarm::kNone;
  return up_ >= down_ ? Alarm::kUp : Alarm::kDown;
}

void Cusum::restart() {
  up_ = down_ = 0;
  count_ = good_up_ = good_down_ = 0;
  first_.clear();
  known_ = fixed_;
}

}  // namespace nightshift::search
