#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "search/acceptance.h"
#include "search/acceptance/device_pairs.h"
#include "search/acceptance/duel.h"

namespace nightshift::search {

// Non-inferiority (Wellek 2010, "Testing Statistical Hypotheses of Equivalence and Noninferiority";
// ICH E10): what is to be refuted is that the candidate is worse than its opponent by the margin or
// more. Every difference is raised by the margin and judged as in a duel, with its looks and its
// agreement of devices, so that a candidate that is worse by the margin is accepted with chance
// settings.level at most. Absence of a significant difference would be no such evidence: the fewer
// the pairs, the more would pass.
//
// Rejected alternative: each step against the step before. Then a loss of almost a margin adds up
// step by step ("biocreep", D'Agostino, Massaro and Sullivan 2003). The opponent of all steps is
// the same one.

// At look `look` of the plan: Accept, Reject or NeedMore. All figures of the verdict are those of
// the candidate over its opponent, but for `p_value` (also of looks), which is of the margin.
// `settings.finish_margin` > 0.
// `opponent`: what reasons call it.
Verdict judge_no_worse(std::span<const DevicePairs> devices, std::size_t look, const DuelPlan& plan,
                       const AcceptanceSettings& settings,
                       std::string_view opponent = "the winner");

// Pairs on each device for one round: twice those that accept two equals with 80 % in one look,
// where pairs scatter by `pair_sd`, which is an estimate; 0 where settings.max_pairs over all
// devices do not. Equals are mostly accepted at an earlier look. A round has no more than these, or
// its last pairs would go to what is worse by nearly the margin.
int pairs_to_show_no_worse(double pair_sd, int devices, const AcceptanceSettings& settings);

}  // namespace nightshift::search
