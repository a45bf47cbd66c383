#include "search/statistics/cusum.h"

#include <algorithm>
#include <cmath>

#include "search/statistics/distributions.h"

namespace nightshift::search {

Cusum::Cusum(double target, double slack, double limit)
    : known_(true), target_(target), slack_(slack), limit_(limit) {}

double Cusum::sd() const {
  const double found = std::sqrt(squares_ / static_cast<double>(count_ - 1));
  return std::max(found, sd_floor_);
}

// Of a value after kLearned others.
double Cusum::score(double x) const {
  const double distance = x - target_;
  if (distance == 0) return 0;
  const double scale = sd();
  if (scale == 0) return std::copysign(kMostScore, distance);
  const auto count = static_cast<double>(count_);
  const double t = std::abs(distance) / (scale * std::sqrt(1 + 1 / count));
  const double score = normal_upper_quantile(student_upper_tail(t, count - 1));
  return std::copysign(std::min(score, kMostScore), distance);
}

void Cusum::learn(double x) {
  const double reach = kMostDistance * (count_ < kLearned ? 0 : sd());
  if (reach > 0) x = std::clamp(x, target_ - reach, target_ + reach);
  const double before = x - target_;
  target_ += before / static_cast<double>(count_ + 1);
  squares_ += before * (x - target_);
}

Cusum::Alarm Cusum::add(double x) {
  if (!std::isfinite(x)) return Alarm::kNone;
  double step = x - target_;
  if (!known_) {
    step = count_ < kLearned ? 0 : score(x);
    learn(x);
  }
  ++count_;
  up_ = std::max(0.0, up_ + step - slack_);
  down_ = std::max(0.0, down_ - step - slack_);
  if (up_ == 0) good_up_ = count_;
  if (down_ == 0) good_down_ = count_;
  if (std::max(up_, down_) <= limit_) return Alarm::kNone;
  return up_ >= down_ ? Alarm::kUp : Alarm::kDown;
}

void Cusum::restart() {
  up_ = down_ = 0;
  count_ = good_up_ = good_down_ = 0;
  if (known_) return;
  target_ = squares_ = 0;
}

}  // namespace nightshift::search
