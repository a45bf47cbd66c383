#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/acceptance.h"
#include "search/acceptance/device_pairs.h"
#include "search/acceptance/duel_plan.h"
#include "search/acceptance/gain_form.h"

namespace nightshift::search {

// Two contestants measured in pairs: one evaluation of each, in random order, on the same device.
// All that is judged here are the differences within pairs, d = ln(opponent) - ln(candidate),
// positive where the candidate is better. Drift, clock states and differences between devices
// cancel, and without an effect d and -d are equally likely whatever the noise, because of the
// coin.
//
// Duels and finishing rounds of `test = "clipped"` judge pairs whose outliers are limited, see
// clipped(). All that is a claim (hold-outs, comparisons) judges the pairs as they are.

// Judges a duel at look `look` of the plan; the earlier looks, which accepted nothing, are part of
// a verdict that ends it. Needs plan.pairs[look] pairs on every device. An effect of no more than zero is
// accepted with chance settings.level at most. NeedMore until the last look, Reject before it where
// a gain of min_improvement has become unlikely (not binding: it only lowers the error).
//
// "consistent" accepts where the pooled test does, no device's mean is against it, and no device is
// in doubt: its effect, drawn towards the mean of all by as much as the devices agree (empirical
// Bayes, tau^2 by DerSimonian-Laird), is above zero with at least 93 %. Where all agree the doubt
// costs next to nothing, unlike a lower bound of each device alone. A device that loses 1 % while
// three gain 5 % is overruled in 1.5 % of duels at 1 % of noise; one that merely gains nothing more
// often. Who cannot have that asks for kStrict.
Verdict judge_duel(std::span<const DevicePairs> devices, std::size_t look, const DuelPlan& plan,
                   const AcceptanceSettings& settings);

// Ends a duel between two looks: Reject with the figures of the pairs so far. `look` is the next
// one. Not binding either: whoever gives up only lowers the error.
Verdict give_up_duel(std::span<const DevicePairs> devices, std::size_t look, const DuelPlan& plan,
                     const std::string& why, const AcceptanceSettings& settings);

// A gain so large that the early look is enough: a landslide for which the test is below
// plan.early_level as well; nullopt otherwise, and the duel or (`both_sides`) comparison goes on as
// if nobody had looked. Where one side is no better, each pair must lie beyond a factor of two by
// chance alone and all on one side. That level, a tenth of the first look's, is not spent by
// sequential_levels(): it adds less than a hundredth of the whole. A t test alone is not enough:
// few pairs that tie have no scatter.
std::optional<Verdict> judge_landslide(std::span<const DevicePairs> devices, const DuelPlan& plan,
                                       const AcceptanceSettings& settings, bool both_sides);
// Pairs scatter by `pair_sd`: would nearly all landslides of this gain (in logarithms) be seen as
// such?
bool promises_landslide(double gain, double pair_sd);
// And so by far that evaluations of a quarter of the samples, whose pairs scatter by twice as much at
// most, show it as well. For a gain that was known before the duel's first pair: its own data choose
// nothing, and both sides have the same samples, so that the level of the duel is what it is.
bool promises_landslide_by_far(double gain, double pair_sd);

// One look at a fixed number of pairs: the final claim, of the incumbent against the baseline.
// Reject where too few devices have judged.
Verdict judge_hold_out(std::span<const DevicePairs> devices, double level,
                       const AcceptanceSettings& settings);
// The same by fewer pairs than hold_out_least, where the time has no room for more. A t test of so
// few rests on how they are distributed, so that beside it a landslide is asked for, or signed
// ranks over all pairs at the same level: these are exact whatever the distribution, by the coin
// alone.
Verdict judge_short_hold_out(std::span<const DevicePairs> devices, double level,
                             const AcceptanceSettings& settings);
// Pairs on each device with which anything but a landslide may be claimed.
int fewest_hold_out_pairs(double level, int devices);
// Why so many devices are too few for a claim; empty where they are enough.
std::string why_too_few(std::size_t devices, const AcceptanceSettings& settings);
// Pairs on each device that show a gain of `effect` (in logarithms) with 90 % where pairs scatter
// by `pair_sd`; the gain is taken at 70 %, or 67 % after clipped duels, since duels that end early
// flatter it. Within the settings' bounds.
int hold_out_pairs(double pair_sd, double effect, int devices, const AcceptanceSettings& settings);

// A/A: the same configuration in both arms. Accept = the harness is to be trusted; Reject where the
// mean differs from zero by a two-sided t test at 0.27 % (three standard errors).
Verdict judge_self_test(std::span<const DevicePairs> devices, const GainForm& form = {});
// The candidate is known to be slower: Accept where that shows at 1 %. `form`: gain_form().
Verdict judge_canary(std::span<const DevicePairs> devices, const GainForm& form);

// What the pairs say, without a question: Accept, and no claim.
Verdict describe_pairs(std::span<const DevicePairs> devices, const GainForm& form);

// Which of two is better, without a favourite: the group-sequential test on both sides, by a plan
// for half of the level. Accept where either side won on every device (Verdict::ratio says which);
// Reject where the last look shows no difference, or all of the 95 % interval is within
// min_improvement of none. Verdict::shape is of the side that is better on average.
Verdict judge_comparison(std::span<const DevicePairs> devices, std::size_t look,
                         const DuelPlan& plan, const AcceptanceSettings& settings);

}  // namespace nightshift::search
