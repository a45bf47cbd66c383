#include "scheduler/study/lookahead.h"

#include <algorithm>
#include <cmath>

namespace nightshift::scheduler {
namespace {

constexpr double kWeight = 0.1;
constexpr double kGuess = 12;  // build/measure, while it is not known
// The same while a study waits for its first device: its builders have nothing else to do.
constexpr double kGuessWithoutDevice = 34;

void smooth(double& average, double value) {
  if (value <= 0) return;
  average = average == 0 ? value : average + kWeight * (value - average);
}

}  // namespace

void Lookahead::learn(const search::TrialCost& cost) {
  smooth(build_, cost.build);
  smooth(measure_, cost.check + cost.measure);
  if (cost.build > 0) share_ += kWeight * (1 - share_);
}

void Lookahead::learn_of_equal(double build_seconds) {
  if (build_seconds <= 0) return;
  smooth(build_, build_seconds);
  share_ -= kWeight * share_;
}

int Lookahead::outstanding(int devices, int builders) const {
  const int most = devices + 2 * std::max(1, builders);
  const bool is_known = build_ > 0 && measure_ > 0;
  const int waited_for = is_known ? devices : std::max(1, devices);
  const int least = std::min(2 * waited_for, most);
  const double longer = is_known      ? build_ / (measure_ * share_)
                        : devices > 0 ? kGuess
                                      : kGuessWithoutDevice;
  const double building = std::min(1e6, waited_for * longer);
  return std::clamp(2 * waited_for + static_cast<int>(std::ceil(building)), least, most);
}

}  // namespace nightshift::scheduler
