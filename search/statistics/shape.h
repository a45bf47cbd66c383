#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace nightshift::search {

// The shape of a distribution of measured values. Values that are all equal, too few, or not all
// finite have no shape: the functions return what they say of nothing.

double skewness(std::span<const double> values);         // G1, bias-corrected; 0 for n < 3
double excess_kurtosis(std::span<const double> values);  // G2, bias-corrected; 0 for n < 4

// Sarle's coefficient (G1^2 + 1) / (G2 + 3 (n-1)^2 / ((n-2)(n-3))); 5/9 is that of a uniform
// distribution, two modes have more, and so have strong skew and single outliers. 0 for n < 4.
double bimodality_coefficient(std::span<const double> values);
inline constexpr double kBimodalCoefficient = 5.0 / 9;

// The best division of the values into two groups (least squares within groups, exact in one
// dimension): the distance of the group means in standard deviations within groups (n - 2 degrees
// of freedom), and the smaller group's share. A normal distribution has a gap of 2.6, a uniform
// one 3.5. The variance within groups is at least that of the timer's ticks (in the unit of the
// values): two neighbouring ticks are no two modes. No gap for n < 4; an infinite one where neither
// group has any scatter and `tick` is 0.
struct TwoMeans {
  double low_mean = 0, high_mean = 0;
  double gap = 0;
  double smaller_share = 0;
  double threshold = 0;  // values above are in the high group
};
TwoMeans two_means(std::span<const double> values, double tick = 0);

// Do two sets of values scatter alike? Levene's test about the medians (Brown and Forsythe 1974):
// F with 1 and n + m - 2 degrees of freedom. p = 1, F = 0 for fewer than two values on a side;
// where the distances to the median have no variance within the sides: p = 0 if they differ
// between them, else 1.
struct BrownForsythe {
  double f = 0;
  double p = 1;
};
BrownForsythe brown_forsythe(std::span<const double> x, std::span<const double> y);

// What one word says about repetitions, in the order in which they were measured.
enum class ShapeLabel {
  kUnknown,       // fewer than 12 values, or not all finite
  kConstant,      // all equal
  kMostlyStable,  // a few far outliers, and nothing else to remark
  kBimodal,       // two modes, visited in turn
  kDrifting,      // the level moved: a step, a trend or a slow wave
  kSkewed,        // one mode with one long tail
  kNormal,        // none of these
};
std::string_view name_of(ShapeLabel label);  // "mostly stable", ...

// The rules. Values beyond Tukey's severe fences are set aside if they are at most a tenth; the
// first rule that holds of the rest gives the label.
//   bimodal   two groups, the smaller at least a tenth, with a gap over 4 (over 5 of fewer than 32
//             values), or, of 32 values or more, a bimodality coefficient over 5/9 and a gap over
//             3.5; a valley between them: around the middle of the group means less than half as
//             many values as around either mean, so that a long tail is no mode; and the series
//             changes group at least three times. With fewer changes it is a step: drifting
//   drifting  Ljung-Box p < .001 (5 lags) with a positive lag-1 autocorrelation
//   skewed    |G1| over 0.5 and over 3.29 of its standard errors under normality
// Then mostly stable if some were set aside, else normal.
ShapeLabel classify(std::span<const double> series, double tick = 0);

}  // namespace nightshift::search
