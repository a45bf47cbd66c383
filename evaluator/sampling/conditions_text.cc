#include "evaluator/sampling/conditions_text.h"

#include <algorithm>
#include <cmath>

#include "evaluator/sampling/machine_state.h"
#include "search/statistics/outliers.h"
#include "search/statistics/shape.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

constexpr std::size_t kFewestForShape = 20;

std::size_t severe_outliers(const std::vector<double>& values) {
  const auto labels = search::tukey_labels(values);
  return static_cast<std::size_t>(
      std::count_if(labels.begin(), labels.end(), [](search::OutlierLabel label) {
        return label == search::OutlierLabel::kLowSevere ||
               label == search::OutlierLabel::kHighSevere;
      }));
}

}  // namespace

std::string rounded(double value, double steps) {
  return search::to_text(search::Value(std::round(value * steps) / steps));
}

void describe_sampling(const WarmUpRule& warm_up, const StoppingRule& rule,
                       const std::vector<double>& seconds, double tick, Conditions& conditions) {
  conditions.emplace_back("warm-up", std::to_string(warm_up.calls()) + " calls" +
                                         (warm_up.settled() ? "" : ", not settled"));
  conditions.emplace_back("calls per sample", std::to_string(warm_up.calls_per_sample()));
  const search::MeanPrecision known = rule.precision();
  if (std::isfinite(known.half_width) && known.mean > 0) {
    conditions.emplace_back("precision", percent(known.half_width / known.mean));
  }
  if (seconds.size() > 1) {
    conditions.emplace_back("lag-1 autocorrelation", rounded(rule.lag1(), 100));
  }
  if (rule.unstable()) {
    conditions.emplace_back("unstable", "the mean of " + std::to_string(seconds.size()) +
                                            " samples is not known to 1 %");
  }
  if (seconds.size() < kFewestForShape) return;
  conditions.emplace_back("shape", std::string(name_of(search::classify(seconds, tick))));
  conditions.emplace_back("outliers", std::to_string(severe_outliers(seconds)));
}

}  // namespace nightshift::evaluator
