#pragma once

#include <span>

#include "search/objective.h"

namespace nightshift::search {

// One figure of an evaluation, in the unit of the samples, and its standard error.
struct Figure {
  double value = 0;
  double standard_error = 0;
};

// The statistic of an evaluation's samples that the objective asks for. p95 and p99 are type 7
// quantiles (Hyndman and Fan 1996) on the bad side: the 5 % and 1 % quantile where the figure is
// maximised. Errors: of the median as Summary::median_error; of a quantile a quarter of the
// distance between the order statistics two standard deviations of the binomial rank below and
// above; of the mean sd / sqrt(n). Samples of one evaluation are rarely independent, so that all of
// these are lower bounds. An empty span gives zeros.
Figure evaluation_figure(std::span<const double> samples, const Objective& objective);

}  // namespace nightshift::search
