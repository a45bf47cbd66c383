#pragma once

#include <cstddef>
#include <span>

#include "search/statistics/interval.h"

namespace nightshift::search {

// An interval for the mean of normal values with unknown variance that holds at all times
// together, so that it may be looked at after every value and the measuring stopped at will:
// the t mixture of Wang and Ramdas ("Anytime-valid t-tests and confidence sequences for Gaussian
// means with unknown variance", 2023), on Lai (1976).
//   k = c2 / (n + c2), R = (k alpha^2)^(-1/n), half width = s sqrt((n-1)/n (R-1) / (1 - R k))
// `alpha` is two-sided; `c2` is the precision of the mixture, over means in standard deviations
// from N(0, 1 / c2): a small one waits for large effects, a large one for small effects, longer.

inline constexpr double kMixtureSpread = 4;  // c2

// Half width over the sample standard deviation (n-1); infinite while R k >= 1, for n < 2, and for
// alpha outside (0, 1) or c2 that is not positive.
double t_mixture_factor(std::size_t n, double alpha, double c2 = kMixtureSpread);
// Around the mean; kUnbounded where the factor is infinite, a value is not finite or all values
// are equal.
Interval t_mixture_interval(std::span<const double> values, double alpha,
                            double c2 = kMixtureSpread);

}  // namespace nightshift::search
