#include "search/model/feasibility.h"

#include <algorithm>
#include <cmath>

namespace nightshift::search {

namespace {

// The forest alone is too sure of itself while few failures are known, so the overall rate counts
// like this many. The log loss on recorded spaces (4 % and 8 % failures; 50 to 400 observations) is
// a tenth higher at 4; of the rate alone it is 1.1 to 4.5 times as high.
constexpr double kPriorFailures = 1;
constexpr std::size_t kTrees = 50;
constexpr std::uint64_t kSeed = 0x6f6b;

}  // namespace

Feasibility::Feasibility(const ParameterSpace& space) : encoding_(space) {}

void Feasibility::observe(std::span<const std::uint32_t> digits, bool works) {
  encoding_.append(digits, rows_);
  works_.push_back(works ? 1 : 0);
  if (!works) ++failures_;
}

double Feasibility::rate() const {
  const auto all = static_cast<double>(works_.size());
  return (all - static_cast<double>(failures_) + 9) / (all + 10);
}

void Feasibility::refit() {
  const bool first_failure = failures_ > 0 && fitted_failures_ == 0;
  if (failures_ == 0 || (!first_failure && works_.size() * 10 < fitted_rows_ * 11)) return;
  ForestSettings settings;
  settings.criterion = SplitCriterion::kEntropy;
  settings.trees = kTrees;
  settings.max_features =
      static_cast<std::size_t>(std::sqrt(static_cast<double>(encoding_.columns()))) + 1;
  forest_ = Forest::fit(settings, {rows_, encoding_.columns()}, works_, {}, kSeed);
  fitted_rows_ = works_.size();
  fitted_failures_ = failures_;
}

double Feasibility::drawn_to_rate(double by_forest) const {
  const auto failures = static_cast<double>(fitted_failures_);
  return (by_forest * failures + rate() * kPriorFailures) / (failures + kPriorFailures);
}

double Feasibility::probability(std::span<const std::uint32_t> digits) {
  std::vector<double> row(encoding_.columns());
  encoding_.encode(digits, row);
  double result = 0;
  probabilities({row, encoding_.columns()}, {&result, 1});
  return result;
}

void Feasibility::probabilities(const PointTable& rows, std::span<double> result) {
  refit();
  if (forest_.empty()) {
    std::ranges::fill(result, rate());
    return;
  }
  forest_.predict(rows, result);
  for (double& p : result) p = drawn_to_rate(p);
}

}  // namespace nightshift::search
