#include "evaluator/sampling/warm_up_rule.h"

#include <algorithm>
#include <cmath>

namespace nightshift::evaluator {
namespace {

constexpr std::size_t kBatches = 3;
constexpr double kBatchSeconds = 1e-3;
constexpr double kAgreement = 0.02;
constexpr double kTicksPerSample = 1000;
constexpr double kMostCalls = 1e9;  // in one sample

// How many calls make a sample of `wanted` seconds when `calls` took `took`. Grows tenfold at most,
// since the first calls are slower than the rest.
std::uint64_t more_calls(std::uint64_t calls, double took, double wanted) {
  const auto now = static_cast<double>(calls);
  const double needed = took > 0 ? now * 1.2 * wanted / took : now * 10;
  const double next = std::clamp(std::ceil(needed), now + 1, now * 10);
  return static_cast<std::uint64_t>(std::min(next, kMostCalls));
}

}  // namespace

WarmUpRule::WarmUpRule(const search::SamplingPlan& plan, double tick_seconds)
    : least_calls_(static_cast<std::uint64_t>(std::max(0, plan.warm_up_runs))),
      least_seconds_(plan.warm_up_seconds),
      most_seconds_(std::max(10 * plan.warm_up_seconds, 0.1)),
      least_sample_seconds_(
          plan.cold_cache || plan.min_sample_seconds <= 0
              ? 0
              : std::max(plan.min_sample_seconds, kTicksPerSample * tick_seconds)) {}

void WarmUpRule::start_batch(double elapsed) {
  batch_start_ = elapsed;
  batch_seconds_ = 0;
  batch_calls_ = 0;
}

void WarmUpRule::add(double seconds, double elapsed) {
  calls_ += calls_per_sample_;
  elapsed_ = elapsed;
  long_enough_ =
      seconds >= least_sample_seconds_ || static_cast<double>(calls_per_sample_) >= kMostCalls;
  if (!long_enough_) {
    calls_per_sample_ = more_calls(calls_per_sample_, seconds, least_sample_seconds_);
    means_.clear();
    start_batch(elapsed);
    return;
  }
  batch_seconds_ += seconds;
  batch_calls_ += calls_per_sample_;
  if (elapsed - batch_start_ < kBatchSeconds) return;
  if (means_.size() == kBatches) means_.erase(means_.begin());
  means_.push_back(batch_seconds_ / static_cast<double>(batch_calls_));
  start_batch(elapsed);
}

bool WarmUpRule::settled() const {
  if (means_.size() < kBatches) return false;
  const auto [least, most] = std::minmax_element(means_.begin(), means_.end());
  return *most - *least <= kAgreement * *least;
}

bool WarmUpRule::done() const {
  return long_enough_ && calls_ >= least_calls_ && elapsed_ >= least_seconds_ &&
         (settled() || elapsed_ >= most_seconds_);
}

}  // namespace nightshift::evaluator
