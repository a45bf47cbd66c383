#pragma once

#include <cstddef>

namespace nightshift::search {

// How many measurements a question needs, before they are taken. Tests are one-sided at level
// alpha; `power` is the chance to find an effect that is there; both in (0, 1). Sizes that no
// number of measurements reaches (an effect of 0 or below, NaN), or that exceed kMostPairs, are
// kMostPairs.
inline constexpr std::size_t kMostPairs = 1'000'000'000;

// Pairs of a candidate and an incumbent that find a candidate 1 + gain times as fast. Statistics
// are on logarithms of times: the effect is ln(1 + gain), an evaluation with coefficient of
// variation cv has a lognormal's log variance sigma^2 = ln(1 + cv^2), and a pair's difference has 2
// sigma^2.
//   normal   ceil(2 (z_alpha + z_power)^2 (sigma / effect)^2), at least 1
//   t        the smallest n >= 2 whose t test has the power, by the noncentral t distribution
std::size_t paired_sample_size_normal(double alpha, double power, double cv, double gain);
std::size_t paired_sample_size(double alpha, double power, double cv, double gain);

// Power of a paired t test of n differences, effect and standard deviation being logarithms or
// anything alike; alpha for no effect. n < 2 or no scatter known
// (sd_difference <= 0): 0.
double paired_power(double alpha, std::size_t n, double sd_difference, double effect);
// The effect that n differences find with the given power; infinite for n < 2, and where it would
// be more than some 10^4 standard errors.
double detectable_effect(double alpha, double power, std::size_t n, double sd_difference);

// The hold-out that confirms the sum of what the duels of a study gained: pairs on each of
// `devices`, at level alpha with power to find seven tenths of the gain (estimates of winners are
// too large), between `fewest` and `most`:
//   ceil(((z_alpha + z_power) sd_pair / (0.7 gain))^2 / devices)
std::size_t hold_out_pairs(double sd_pair, double gain, std::size_t devices, double alpha = 0.01,
                           double power = 0.9, std::size_t fewest = 12, std::size_t most = 128);

// Kalibera and Jones (2013), "Rigorous benchmarking in reasonable time": repetitions within one
// outer run (a process) that give the best precision for a given total time,
//   ceil(sqrt(cost_outer / cost_inner * var_inner / var_outer)), at least 1
// kMostPairs where the outer level does not vary.
std::size_t repetitions(double cost_outer, double cost_inner, double sd_inner, double sd_outer);

}  // namespace nightshift::search
