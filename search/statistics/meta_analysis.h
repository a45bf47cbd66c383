#pragma once

#include <limits>
#include <span>

#include "search/statistics/interval.h"

namespace nightshift::search {

// One effect with its standard error from each of k devices (or studies), joined: do they agree,
// and what is to be expected of a device that was not asked?
//
//   fixed effect     weights 1/se^2: the effect if all devices share one
//   Q, its p, I^2    Cochran's heterogeneity, chi-squared with k-1 degrees of freedom
//   tau^2            variance between devices, DerSimonian and Laird (1986), at least 0
//   random effects   weights 1/(se^2 + tau^2): the mean over devices like these
//   Hartung-Knapp    its interval by t with k-1 degrees of freedom and the weighted scatter that
//                    was seen (Hartung and Knapp 2001, without the ad hoc bound from below: equal
//                    effects give a point)
//   prediction       interval for the effect on a new device, t with k-2 (Higgins, Thompson and
//                    Spiegelhalter 2009)
//
// One effect: its own value, p = 1, tau^2 = 0, intervals unbounded. The prediction needs three.
// No effects, spans of different lengths, an effect that is not finite or an error that is not
// positive and finite: all as initialised, nothing is known.
struct MetaAnalysis {
  double fixed = 0, fixed_error = std::numeric_limits<double>::infinity();
  double q = 0, q_p = 1, i_squared = 0;
  double tau_squared = 0;
  double random = 0, random_error = std::numeric_limits<double>::infinity();
  double hartung_knapp_error = std::numeric_limits<double>::infinity();
  Interval hartung_knapp = kUnbounded;
  Interval prediction = kUnbounded;
};
MetaAnalysis meta_analysis(std::span<const double> effects, std::span<const double> errors,
                           double confidence = 0.95);

}  // namespace nightshift::search
