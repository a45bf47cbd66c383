#include "search/statistics/outliers.h"

#include "search/statistics/summary.h"

namespace nightshift::search {

namespace {

OutlierLabel label_of(double x, const TukeyFences& fences) {
  if (x < fences.severe.low) return OutlierLabel::kLowSevere;
  if (x < fences.mild.low) return OutlierLabel::kLowMild;
  if (x > fences.severe.high) return OutlierLabel::kHighSevere;
  if (x > fences.mild.high) return OutlierLabel::kHighMild;
  return OutlierLabel::kNone;
}

}  // namespace

TukeyFences tukey_fences(std::span<const double> values) {
  const double q1 = quantile_of(values, 0.25);
  const double q3 = quantile_of(values, 0.75);
  const double range = q1 == q3 ? 0 : q3 - q1;
  return {{q1 - 1.5 * range, q3 + 1.5 * range}, {q1 - 3 * range, q3 + 3 * range}};
}

std::vector<OutlierLabel> tukey_labels(std::span<const double> values) {
  const TukeyFences fences = tukey_fences(values);
  std::vector<OutlierLabel> labels;
  for (const double x : values) labels.push_back(label_of(x, fences));
  return labels;
}

}  // namespace nightshift::search
