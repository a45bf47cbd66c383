#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "search/acceptance.h"
#include "search/acceptance/device_pairs.h"
#include "search/acceptance/gain_form.h"
#include "search/statistics/sequential.h"

namespace nightshift::search {

// What the judges of duel.h have in common.

// The variance that a difference has at least: figures are rounded somewhere, and what repeats to
// the last digit (a size, a simulated time) must neither divide by zero nor be refused.
inline constexpr double kDifferenceVariance = 1e-12;  // sd of a millionth

// Means, errors and differences between the devices, joined.
struct Joined {
  StratifiedT pooled;
  std::vector<DeviceEffect> devices;
  Heterogeneity heterogeneity;
  // Chance that the effect of each device is not above zero, as judge_duel() says.
  std::vector<double> doubts;
};
Joined join(std::span<const DevicePairs> devices);

// The pairs with their outliers limited (Huber 1964, "Robust estimation of a location parameter"):
// beyond two robust standard deviations of a device's |d| a difference counts as these two, with
// its sign. What is left is divided by the share that lies within, so that a small shift of all
// pairs is as large as before. Both are functions of the sizes |d| alone, so that the coin's
// symmetry stays: without an effect d and -d are as likely as before, whatever the noise. What is
// told apart by these is the typical difference; a mean with rare and large ones is another figure,
// which the hold-out claims. Tails are left alone, and so is a device of which half of the
// differences are zero or one is not finite.
std::vector<DevicePairs> clipped(std::span<const DevicePairs> devices);
// What the test of these settings looks at: the pairs, or the clipped ones.
std::vector<DevicePairs> as_judged(std::span<const DevicePairs> devices,
                                   const AcceptanceSettings& settings);

// Those of all devices, one behind the other.
std::vector<double> all_effects(std::span<const DevicePairs> devices);

// Of the differences within devices, which all of them share: two pairs on each of four devices
// give it four degrees of freedom instead of one. 0 where no device has two.
double pooled_variance(std::span<const DevicePairs> devices);

// What the p value of a t test is at least where figures are coarse: a clock of 10 ms, two digits
// of a program's. A few differences then are equal by chance, and seem to have no scatter. 0 where
// most of them differ, or by steps that are nothing beside their mean.
//
// Where all of a device are the same difference, two sides that are equal give it again with a
// chance of a quarter at most. Else signed ranks are exact, whatever the figures are.
double least_p(std::span<const DevicePairs> devices);

// A pair shows a landslide where the candidate costs less than half of the opponent; all of them
// do.
bool shows_landslide(double effect);
bool is_landslide(std::span<const DevicePairs> devices);

// That the candidate is no better, one-sided, by the test and the consensus of these settings. `joined`:
// of the pairs as the settings judge them.
double duel_p(std::span<const DevicePairs> devices, const Joined& joined,
              const AcceptanceSettings& settings);

// The pairs as the other side sees them.
std::vector<DevicePairs> turned(std::span<const DevicePairs> devices);

// Of pairs: the p value of a one-sided test that the candidate is better.
using PairTest = std::function<double(std::span<const DevicePairs>)>;
// The interval of the ratio, candidate over opponent, that a claim by `test` at a one-sided `level` has:
// the ratios that the test rejects from neither side. So it lies below 1 exactly where the test shows a
// gain at that level, and above 1 where it shows a loss, whatever the test asks for beside a t test.
// Its confidence is 1 - 2 level. An end that so few pairs cannot show is 0 or infinite, as both are
// where nothing is known of the noise.
Interval claim_interval(std::span<const DevicePairs> devices, const PairTest& test, double level);

// Copies what was joined into a verdict: ratio, its 95 % interval by the t test, devices, heterogeneity.
Verdict verdict_of(const Joined& joined);

std::string as_percent(double share);  // "0.5 %" of 0.005
// "3.1 % better", "0.4 % worse" of an effect in logarithms: of a cost that falls by so much, or a rate
// that rises; "9 dB better" of a difference.
std::string as_gain(double effect, const GainForm& form);
// Of an effect, or its error, whatever its sign: "0.12 %", "0.4 dB".
std::string as_size(double effect, const GainForm& form);
// A share of a cost, which settings ask for: "0.5 %", or the difference that stands for it.
std::string as_share(double share, const GainForm& form);
std::string as_p(double p);  // "p = 0.0012"

// "faster but wider: p95 is 4.1 % worse" where the tails are worse at 1 %; empty otherwise.
std::string shape_of(std::span<const DevicePairs> devices, const GainForm& form);

}  // namespace nightshift::search
