#pragma once

#include <cstddef>
#include <vector>

namespace nightshift::search {

// Tells when a level has moved, from one value at a time: Page's cumulative sums (1954), two-sided.
//   up   = max(0, up + x - target - slack)     down = max(0, down + target - x - slack)
// and an alarm where one of them exceeds the limit. With slack 0.5 and limit 5 standard deviations
// a stable level gives a false alarm every 465 values on average, and a shift of one standard
// deviation is found after 10.
//
// Feed it logarithms of a device's baseline. A value that is not finite is passed over.
class Cusum {
 public:
  enum class Alarm { kNone, kUp, kDown };

  static constexpr std::size_t kLearned = 8;  // values
  static constexpr double kSlack = 0.5;       // in standard deviations
  static constexpr double kLimit = 5;

  // Learns target (median) and standard deviation (MAD * 1.4826) from the first kLearned values,
  // which raise no alarm. The standard deviation is at least `sd_floor`: without one, values that
  // tie on timer ticks have none, and the least movement alarms.
  explicit Cusum(double sd_floor = 0) : sd_floor_(sd_floor) {}
  // With everything known, in the unit of the values.
  Cusum(double target, double slack, double limit);

  // What the value brings. After an alarm the sums go on: `restart` says that it was dealt with.
  Alarm add(double x);
  // As if nothing had been fed; a target that was learned is learned anew.
  void restart();

  bool learning() const { return !known_; }
  double up() const { return up_; }
  double down() const { return down_; }
  double target() const { return target_; }
  // How many values were fed, and how many of them had been when the larger sum last was 0: the
  // estimate of when the level moved. What was measured since then is in doubt.
  std::size_t count() const { return count_; }
  std::size_t good() const { return up_ >= down_ ? good_up_ : good_down_; }

 private:
  void learn(double x);

  double sd_floor_ = 0;
  bool fixed_ = false;
  bool known_ = false;
  double target_ = 0, slack_ = 0, limit_ = 0;
  double up_ = 0, down_ = 0;
  std::size_t count_ = 0, good_up_ = 0, good_down_ = 0;
  std::vector<double> first_;
};

}  // namespace nightshift::search
