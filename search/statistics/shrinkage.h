#pragma once

#include <limits>
#include <span>

namespace nightshift::search {

// Empirical Bayes: the best of many noisy scores is mostly luck (of 300 equal candidates 2.9
// standard errors), so each is drawn towards the mean of all by as much as its own error says.
// True effects are taken as normal with a mean and variance that all effects together show.
//   mean       = prior.mean + tau^2 / (tau^2 + error^2) (effect - prior.mean)
//   sd         = sqrt(tau^2 error^2 / (tau^2 + error^2))
// The prior itself is taken as known (Efron and Morris 1975); with a few effects the sd is small.

struct Prior {
  double mean = 0;
  double variance = std::numeric_limits<double>::infinity();  // tau^2; infinite: nothing is known
};
// The random-effects mean and DerSimonian and Laird's tau^2 (meta_analysis.h). Fewer than two
// effects, or input that meta_analysis refuses: nothing is known.
Prior prior_of(std::span<const double> effects, std::span<const double> errors);

struct Shrunken {
  double mean = 0;
  double sd = 0;  // posterior
};
// Error 0: the effect itself. Infinite variance of the prior: effect and error as they are. An
// effect that is not finite, or an error that is infinite, negative or NaN, says nothing: the
// prior.
Shrunken shrink(double effect, double error, const Prior& prior);

}  // namespace nightshift::search
