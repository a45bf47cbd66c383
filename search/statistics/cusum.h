#pragma once

#include <cstddef>

namespace nightshift::search {

// Tells when a level has moved, from one value at a time: Page's cumulative sums (1954), two-sided.
//   up   = max(0, up + x - target - slack)     down = max(0, down + target - x - slack)
// and an alarm where one of them exceeds the limit. With slack 0.5 and limit 5 standard deviations
// a stable level gives a false alarm every 465 values on average, and a shift of one standard
// deviation is found after 10.
//
// That is true where target and standard deviation are known. Learned once from a few values, they
// are wrong for good: from eight values more than half of all stable series alarmed within fifty.
// So they are learned from all values, and the sums are of scores (Hawkins, "Self-starting CUSUM
// charts for location and scale", 1987): a value's distance from the mean of those before it, by
// their standard deviation, follows Student's t; its score is the normal deviate of the same
// probability. Scores of a stable normal series are independent and normal from the first one on.
// So that no single spike alarms or spoils what is learned, scores count up to kMostScore, and a
// value as far as kMostDistance standard deviations. tools/bench/README.md has the rate of alarms
// and the delays.
//
// A level that wanders (successive values resemble each other) alarms more often. It has moved.
//
// Feed it logarithms of a device's baseline. A value that is not finite is passed over.
class Cusum {
 public:
  enum class Alarm { kNone, kUp, kDown };

  static constexpr std::size_t kLearned = 8;  // values
  static constexpr double kSlack = 0.5;       // in standard deviations
  static constexpr double kLimit = 5;
  static constexpr double kMostScore = 2.5;
  static constexpr double kMostDistance = 3;

  // Learns mean and standard deviation from its values, of which the first kLearned raise no alarm.
  // The standard deviation is at least `sd_floor`: without one, values that tie on timer ticks have
  // none, and the least movement counts as the largest. The sums are in standard deviations.
  explicit Cusum(double sd_floor = 0) : sd_floor_(sd_floor) {}
  // With everything known, in the unit of the values.
  Cusum(double target, double slack, double limit);

  // What the value brings. After an alarm the sums go on: `restart` says that it was dealt with.
  Alarm add(double x);
  // As if nothing had been fed; what was learned is learned anew.
  void restart();

  double up() const { return up_; }
  double down() const { return down_; }
  double target() const { return target_; }
  // How many values were fed, and how many of them had been when the larger sum last was 0: the
  // estimate of when the level moved. What was measured since then is in doubt.
  std::size_t count() const { return count_; }
  std::size_t good() const { return up_ >= down_ ? good_up_ : good_down_; }

 private:
  double sd() const;
  double score(double x) const;
  void learn(double x);

  double sd_floor_ = 0;
  bool known_ = false;  // target, slack and limit
  double target_ = 0;   // known, or the mean so far
  double slack_ = kSlack, limit_ = kLimit;
  double squares_ = 0;  // of the distances from the mean
  double up_ = 0, down_ = 0;
  std::size_t count_ = 0, good_up_ = 0, good_down_ = 0;
};

}  // namespace nightshift::search
