#pragma once

#include <limits>
#include <span>

#include "search/acceptance.h"
#include "search/acceptance/device_pairs.h"
#include "search/acceptance/duel.h"

namespace nightshift::search {

// What is believed of a candidate's gain over the incumbent, ln(incumbent) - ln(candidate): normal.
// It decides what time is spent on, and never what is accepted.
struct Prospect {
  double gain = 0;
  double sd = std::numeric_limits<double>::infinity();  // infinite: nothing is known
};

// After the pairs of its duel: the mean of the two, each by its precision. Fewer than two pairs on
// a device say nothing. A clipped duel is taken as its test sees it. A prior with sd 0 has no error that anybody knew of: the pairs count alone.
Prospect with_pairs(const Prospect& before, std::span<const DevicePairs> duel,
                    const AcceptanceSettings& settings);

// The chance that the duel accepts at one of its further looks of at most `most` pairs a device, as
// far as is known now: the predictive power (Spiegelhalter, Freedman and Blackburn 1986) of the
// look where it is largest. `look` is the next one. 0 where `most` allows no further look.
double chance_to_accept(const Prospect& now, std::span<const DevicePairs> duel, std::size_t look,
                        int most, const DuelPlan& plan, const AcceptanceSettings& settings);

// Pairs on each device at the first look that shows `gain` with a power of 80 % where pairs scatter
// by `pair_sd`; all pairs of the plan where none does.
int pairs_to_show(double gain, double pair_sd, int devices, const DuelPlan& plan,
                  const AcceptanceSettings& settings);

}  // namespace nightshift::search
