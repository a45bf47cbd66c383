#pragma once

#include "search/trial.h"

namespace nightshift::scheduler {

// How many trials may be between ask and tell so that no device waits for a build. Not more than
// needed: a searcher that is told late proposes worse.
//
// While a device measures one trial, build/measure further ones are being built; one more per
// device lies ready. Where of n that are built one alone is measured, since the others have equal
// code, n times as many are. A device that is far away, by its delay beside the time of an
// evaluation, has the next trial already. All are exponentially smoothed over the last ten trials
// or so.
class Lookahead {
 public:
  void learn(const search::TrialCost& cost);
  // One that was built ended as equal to another.
  void learn_of_equal(double build_seconds);
  // Between 2 * devices and devices + 2 * builders. While nothing is known a build is taken to last
  // for twelve measurements: what is asked for before the first answer is asked for blindly, and is
  // measured for all that. With no device yet it is for the one that is waited for, and for 34
  // measurements: a study of a batch waits for as long as its turn takes, its builders idle.
  int outstanding(int devices, int builders) const;
  // `delay`: see JobPlaces. A device that waited for so long between two evaluations would lose
  // more than the searcher does that is told one trial later.
  bool is_far(double delay) const { return measure_ > 0 && delay > kLoss * measure_; }
  double build_seconds() const { return build_; }  // 0: unknown

 private:
  static constexpr double kLoss = 0.01;  // of a device's time

  double build_ = 0;    // seconds; 0 = unknown
  double measure_ = 0;  // seconds on the device, checking included; 0 = unknown
  double share_ = 1;    // of those that were built a device measures so many
};

}  // namespace nightshift::scheduler
