#include "search/model/lfbo_labels.h"

#include "base/portable_math.h"

namespace nightshift::search {

namespace {

// The normal distribution by the logistic one of scale 1/1.702: never off by more than 0.01, and
// its integral, the expected margin, is as simple.
constexpr double kLogistic = 1.702;
constexpr double kCertain = 12;  // in units of that scale: beyond it noise decides nothing

struct Chance {
  double below = 0;   // the boundary
  double margin = 0;  // expected distance below it, counting 0 above
};

Chance chance_of(const LabelledCost& cost, double boundary) {
  const double distance = boundary - cost.cost;
  const double scale = cost.error / kLogistic;
  if (!(scale > 0) || distance > kCertain * scale) {
    return {distance >= 0 ? 1.0 : 0.0, distance >= 0 ? distance : 0};
  }
  if (distance < -kCertain * scale) return {0, 0};
  const double odds = base::portable_exp(distance / scale);
  return {odds / (1 + odds), scale * base::portable_log(1 + odds)};
}

}  // namespace

LfboRows lfbo_rows(const std::vector<LabelledCost>& costs, double boundary) {
  LfboRows rows;
  std::vector<double> margins;
  double sum_of_margins = 0, sum_of_chances = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const Chance chance = chance_of(costs[i], boundary);
    for (const double label : {1.0, 0.0}) {
      const double weight = label == 1 ? chance.below : 1 - chance.below;
      if (!(weight > 0)) continue;
      rows.observation.push_back(i);
      rows.labels.push_back(label);
      rows.weights.push_back(weight);
      margins.push_back(label == 1 ? chance.margin : 0);
    }
    sum_of_margins += chance.margin;
    sum_of_chances += chance.below;
  }
  if (!(sum_of_margins > 0)) return rows;
  for (std::size_t k = 0; k < margins.size(); ++k) {
    if (rows.labels[k] == 0) continue;
    rows.weights[k] = 0.5 * rows.weights[k] + 0.5 * margins[k] * sum_of_chances / sum_of_margins;
  }
  return rows;
}

}  // namespace nightshift::search
