#pragma once

#include <vector>

#include "search/acceptance.h"

namespace nightshift::search {

// When a duel is looked at, and what is enough then.
struct DuelPlan {
  std::vector<int> pairs;      // on each device at each look, ascending
  std::vector<double> levels;  // of the pooled test, one a look
  // Before the first look: see judge_landslide(). 0: there is no such look.
  int early = 0;  // pairs on each device
  double early_level = 0;
};

// The looks of a duel on `devices` > 0 devices. Looks are at least two pairs a device.
//   sequential  after 1/16, 1/8, 1/4, 1/2 and all of max_pairs; the error is spent in proportion to
//               the pairs
//   clipped     four looks to a doubling between the same ends. A fifth of the error is spent in
//               proportion to the pairs, the rest by their share to the power of 2.5:
//               spent in proportion, the last of so many looks would have three fifths of its level
//   anytime     a look after every pair of each device, at the full level, up to the same cap
//   fixed       one look at that cap
// Sequential and clipped plans have an early look, at about four pairs over all devices, where that
// is before the first. Milliseconds for a plan that was not asked for before.
DuelPlan plan_duel(int devices, const AcceptanceSettings& settings);

// Pairs over all devices before which a comparison of equals by a t test is no claim, whatever its
// level: two modes of a program, drawn for each run, show the same difference in few pairs as often as
// one in eight, without any scatter.
inline constexpr int kFewestOfComparison = 8;
// The same without a look before kFewestOfComparison pairs, or the last where there are fewer: of
// what is claimed without a hold-out behind it.
DuelPlan plan_comparison(int devices, const AcceptanceSettings& settings);

// Of a claim that holds whatever the other studies of its batch claim.
double level_together(const AcceptanceSettings& settings);

}  // namespace nightshift::search
