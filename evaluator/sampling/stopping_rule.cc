#include "evaluator/sampling/stopping_rule.h"

#include <algorithm>
#include <cmath>

#include "search/statistics/distributions.h"
#include "search/statistics/summary.h"

namespace nightshift::evaluator {
namespace {

constexpr std::size_t kFewest = 3;  // before an evaluation is cut short
constexpr double kConfidence = 0.95;
constexpr double kLeastQuantile = 1.9599;  // Student's t has a larger one for any freedom
constexpr double kUnstable = 0.01;

std::size_t count_in(int samples) { return static_cast<std::size_t>(std::max(1, samples)); }

}  // namespace

StoppingRule::StoppingRule(const search::SamplingPlan& plan, double tick, double give_up_above)
    : least_(count_in(plan.samples)),
      most_(plan.precision > 0 ? std::max(least_, count_in(plan.most_samples)) : least_),
      precision_(plan.precision),
      max_seconds_(plan.max_seconds),
      tick_(tick),
      give_up_above_(give_up_above) {}

void StoppingRule::take(double value) {
  if (count_ == 0) first_ = value;
  const auto before = static_cast<double>(count_);
  const double step = (value - mean_) / (before + 1);  // of the mean
  const double from_old_mean = value - mean_;
  if (count_ > 0) {
    products_ += step * ((first_ - mean_) + (last_ - mean_)) + (before - 1) * step * step;
  }
  mean_ += step;
  if (count_ > 0) products_ += (last_ - mean_) * (value - mean_);
  squares_ += from_old_mean * (value - mean_);
  last_ = value;
  ++count_;
}

double StoppingRule::lag1() const {
  return squares_ > 0 ? std::clamp(products_ / squares_, 0.0, 1.0) : 0;
}

search::MeanPrecision StoppingRule::without_quantile() const {
  search::MeanPrecision result;
  if (count_ < 2) return result;
  const auto n = static_cast<double>(count_);
  const double r1 = lag1();
  result.mean = mean_;
  result.effective_n = n * (1 - r1) / (1 + r1);
  result.error = std::sqrt(squares_ / (n - 1) / n * (1 + r1) / (1 - r1) +
                           search::rounding_variance(tick_) / n);
  return result;
}

search::MeanPrecision StoppingRule::precision() const {
  search::MeanPrecision result = without_quantile();
  if (result.effective_n > 1) {
    result.half_width =
        search::student_upper_quantile((1 - kConfidence) / 2, result.effective_n - 1) *
        result.error;
  }
  return result;
}

// The quantile costs microseconds, which are spent only where it decides.
bool StoppingRule::precise() const {
  const search::MeanPrecision known = without_quantile();
  if (!(kLeastQuantile * known.error <= precision_ * known.mean)) return false;
  return precision().within(precision_);
}

StoppingRule::Verdict StoppingRule::judged(double elapsed) const {
  if (count_ >= least_ && (precision_ <= 0 || precise())) return Verdict::kComplete;
  if (count_ >= most_) return Verdict::kCapped;
  if (count_ >= kFewest && elapsed >= max_seconds_) return Verdict::kCapped;
  if (count_ == kFewest && give_up_above_ > 0 && all_above_) return Verdict::kGivenUp;
  return Verdict::kGoOn;
}

StoppingRule::Verdict StoppingRule::add(double value, double elapsed) {
  all_above_ = all_above_ && value > give_up_above_;
  take(value);
  return verdict_ = judged(elapsed);
}

bool StoppingRule::unstable() const {
  return verdict_ == Verdict::kCapped && precision_ > 0 && !precision().within(kUnstable);
}

}  // namespace nightshift::evaluator
