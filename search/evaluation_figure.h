#pragma once

#include <span>
#include <vector>

#include "search/objective.h"

namespace nightshift::search {

// One figure of an evaluation, in the unit of the samples, and its standard error.
struct Figure {
  double value = 0;
  double standard_error = 0;
  std::vector<Figure> cases = {};  // of each case, where Samples::cases has them
};

// What the trimmed mean leaves out at each end.
inline constexpr double kTrimmedShare = 0.2;

// The statistic of an evaluation's samples that the objective asks for.
//   median        error as Summary::median_error
//   mean          error sd / sqrt(n)
//   trimmed mean  of what is left without the floor(n / 5) smallest and as many largest samples:
//                 as deaf to outliers as needed, and finer than the median where the timer's ticks
//                 are coarse. Its error is that of Tukey and McLaughlin (1963): the sd of the
//                 samples, the trimmed ones moved to the next one that is left, over
//                 (share that is left) * sqrt(n)
//   p95, p99      type 7 quantiles (Hyndman and Fan 1996) on the bad side: the 5 % and 1 % quantile
//                 where the figure is maximised. The error is a quarter of the distance between the
//                 order statistics two standard deviations of the binomial rank below and above
// Samples of one evaluation are rarely independent, so that all errors are lower bounds. An empty
// span gives zeros.
Figure evaluation_figure(std::span<const double> samples, const Objective& objective);

// The cases' figures as one, sample by sample and as long as the shortest: their weighted geometric
// mean, or for kSum the weighted sum. Figures are positive. Of one case: its own.
std::vector<double> aggregated(const std::vector<std::vector<double>>& cases,
                               const CaseTerms& terms);

}  // namespace nightshift::search
