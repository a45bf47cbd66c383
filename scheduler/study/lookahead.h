#pragma once

#include "search/trial.h"

namespace nightshift::scheduler {

// How many trials may be between ask and tell so that no device waits for a build. Not more than
// needed: a searcher that is told late proposes worse.
//
// While a device measures one trial, build/measure further ones are being built; one more per
// device lies ready. The times are exponentially smoothed over the last ten trials or so.
class Lookahead {
 public:
  void learn(const search::TrialCost& cost);
  // Between 2 * devices and devices + 2 * builders; the latter while nothing is known.
  int outstanding(int devices, int builders) const;

 private:
  double build_ = 0;    // seconds; 0 = unknown
  double measure_ = 0;  // seconds on the device, checking included; 0 = unknown
};

}  // namespace nightshift::scheduler
