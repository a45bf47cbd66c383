#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace nightshift::evaluator {

// Which samples count where others may have the core. One during which it was given to them is
// taken again, kTimes the plan's samples at most, and for no longer than sampling may take: a time slice of others is milliseconds, which a
// long kernel nearly always meets and a short one hardly ever, so that their ratio would be that of
// the machine's load.
class Retakes {
 public:
  static constexpr std::size_t kTimes = 2;

  Retakes(std::size_t samples, double most_seconds)
      : most_(kTimes * samples), most_seconds_(most_seconds) {}

  // Of the sample that was just taken, and took so long: it does not count, and is taken again.
  bool again(bool was_preempted, double seconds);
  // What is to be told of those that count.
  void describe(std::vector<std::pair<std::string, std::string>>& conditions) const;

 private:
  std::size_t most_;
  double most_seconds_, lost_seconds_ = 0;
  std::size_t retaken_ = 0, kept_ = 0, preempted_ = 0;  // of those kept
};

}  // namespace nightshift::evaluator
