#include <cmath>

#include "packaging/include/nightshift/tuner.h"
#include "search/statistics/distributions.h"
#include "search/statistics/location_tests.h"
#include "search/statistics/signed_rank.h"
#include "search/statistics/summary.h"

namespace nightshift {
namespace {

constexpr double kConfidence = 0.95;

// The logarithm of candidate / baseline.
double log_ratio(double baseline, double candidate) {
  if (!(baseline > 0) || !(candidate > 0) || !std::isfinite(baseline) ||
      !std::isfinite(candidate)) {
    throw Error("figures of pairs are finite and above 0");
  }
  return std::log(candidate / baseline);
}

}  // namespace

Estimate estimate(const std::vector<double>& values) {
  for (const double value : values) {
    if (!std::isfinite(value)) throw Error("an estimate is of finite values");
  }
  if (values.empty()) throw Error("an estimate is of one value at least");
  const search::Summary summary = search::summarise(values);
  const search::Interval median = search::median_interval(values, kConfidence);
  return {summary.count, summary.mean, summary.sd, summary.median, {median.low, median.high}};
}

Change paired_change(const std::vector<double>& baseline, const std::vector<double>& candidate) {
  if (baseline.size() != candidate.size() || baseline.size() < 2) {
    throw Error("pairs need as many figures of each, two at least");
  }
  std::vector<double> lower, differences;
  for (std::size_t i = 0; i < baseline.size(); ++i) {
    differences.push_back(log_ratio(baseline[i], candidate[i]));
    lower.push_back(-differences.back());
  }
  const search::TTest test = search::paired_t(differences);
  const double reach = test.error * search::student_upper_quantile((1 - kConfidence) / 2, test.df);
  return {std::exp(test.effect),
          {std::exp(test.effect - reach), std::exp(test.effect + reach)},
          search::signed_rank_p(lower)};
}

}  // namespace nightshift
