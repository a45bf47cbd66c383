#include <algorithm>
#include <cmath>
#include <vector>

#include "search/statistics/outliers.h"
#include "search/statistics/series.h"
#include "search/statistics/shape.h"
#include "search/statistics/strata.h"

namespace nightshift::search {

namespace {

constexpr std::size_t kFewest = 12;
constexpr std::size_t kEnough = 32;    // for telling modes from chance
constexpr double kFewOutliers = 0.1;   // of all values
constexpr double kSmallestMode = 0.1;  // of all values
constexpr double kClearGap = 4;        // within-group standard deviations
constexpr double kClearGapOfFew = 5;   // the same, of fewer than kEnough values
constexpr double kGapOfUniform = 3.5;  // the same: that of a uniform distribution, or of two ticks
constexpr int kFewestChangesOfMode = 3;
constexpr std::size_t kLags = 5;
constexpr double kCertain = 0.001;  // p of Ljung-Box
constexpr double kSkewWorthMentioning = 0.5;
constexpr double kCertainErrors = 3.29;  // two-sided .001 of a normal distribution

// The values that are not severe outliers, in order; all of them where outliers are no exception.
std::vector<double> without_few_outliers(std::span<const double> series) {
  const std::vector<OutlierLabel> labels = tukey_labels(series);
  std::vector<double> rest;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const bool severe =
        labels[i] == OutlierLabel::kLowSevere || labels[i] == OutlierLabel::kHighSevere;
    if (!severe) rest.push_back(series[i]);
  }
  const auto outliers = static_cast<double>(series.size() - rest.size());
  if (outliers <= kFewOutliers * static_cast<double>(series.size())) return rest;
  return {series.begin(), series.end()};
}

// Are values rarer between the groups than in either? Compared are the values within a sixth of
// the distance around both means and around the middle.
bool has_valley(std::span<const double> values, const TwoMeans& groups) {
  const double reach = (groups.high_mean - groups.low_mean) / 6;
  const auto near = [&](double centre) {
    return std::ranges::count_if(values, [&](double x) { return std::abs(x - centre) <= reach; });
  };
  const auto middle = near(groups.low_mean + 3 * reach);
  return 2 * middle < std::min(near(groups.low_mean), near(groups.high_mean));
}

bool has_two_modes(std::span<const double> values, const TwoMeans& groups) {
  const double least_gap = values.size() < kEnough ? kClearGapOfFew : kClearGap;
  const bool apart =
      groups.gap > least_gap || (values.size() >= kEnough && groups.gap > kGapOfUniform &&
                                 bimodality_coefficient(values) > kBimodalCoefficient);
  return groups.smaller_share >= kSmallestMode && apart && has_valley(values, groups);
}

int changes_of_group(std::span<const double> series, double threshold) {
  int changes = 0;
  for (std::size_t i = 1; i < series.size(); ++i) {
    changes += (series[i] > threshold) != (series[i - 1] > threshold) ? 1 : 0;
  }
  return changes;
}

bool is_skewed(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const double error = std::sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)));
  const double skew = std::abs(skewness(values));
  return skew > kSkewWorthMentioning && skew > kCertainErrors * error;
}

bool is_constant(std::span<const double> values) {
  for (const double x : values) {
    if (x != values.front()) return false;
  }
  return true;
}

}  // namespace

ShapeLabel classify(std::span<const double> series, double tick) {
  if (series.size() < kFewest || !all_finite(series)) return ShapeLabel::kUnknown;
  if (is_constant(series)) return ShapeLabel::kConstant;
  const std::vector<double> rest = without_few_outliers(series);
  const TwoMeans groups = two_means(rest, tick);
  if (has_two_modes(rest, groups)) {
    return changes_of_group(rest, groups.threshold) < kFewestChangesOfMode ? ShapeLabel::kDrifting
                                                                           : ShapeLabel::kBimodal;
  }
  if (ljung_box(rest, kLags).p < kCertain && autocorrelation(rest, 1).front() > 0) {
    return ShapeLabel::kDrifting;
  }
  if (is_skewed(rest)) return ShapeLabel::kSkewed;
  return rest.size() < series.size() ? ShapeLabel::kMostlyStable : ShapeLabel::kNormal;
}

std::string_view name_of(ShapeLabel label) {
  switch (label) {
    case ShapeLabel::kUnknown:
      return "unknown";
    case ShapeLabel::kConstant:
      return "constant";
    case ShapeLabel::kMostlyStable:
      return "mostly stable";
    case ShapeLabel::kBimodal:
      return "bimodal";
    case ShapeLabel::kDrifting:
      return "drifting";
    case ShapeLabel::kSkewed:
      return "skewed";
    case ShapeLabel::kNormal:
      return "normal";
  }
  return "unknown";
}

}  // namespace nightshift::search
