#include <algorithm>
#include <cmath>

#include "search/acceptance/duel.h"
#include "search/acceptance/duel_statistics.h"
#include "search/statistics/distributions.h"
#include "search/statistics/summary.h"

namespace nightshift::search {
namespace {

constexpr double kSelfTestLevel = 0.0027;  // two-sided: three standard errors of a normal
constexpr double kCanaryLevel = 0.01;

std::vector<DevicePairs> turned(std::span<const DevicePairs> devices) {
  std::vector<DevicePairs> other(devices.begin(), devices.end());
  for (DevicePairs& d : other) {
    for (double& effect : d.effects) effect = -effect;
    for (double& tail : d.tails) tail = -tail;
  }
  return other;
}

}  // namespace

Verdict judge_self_test(std::span<const DevicePairs> devices) {
  const Joined joined = join(devices);
  Verdict verdict = verdict_of(joined);
  verdict.p_value = std::min(
      1.0, 2 * student_upper_tail(std::abs(joined.pooled.t), std::max(joined.pooled.df, 1.0)));
  char text[96];
  std::snprintf(text, sizeof text,
                "the same configuration differs from itself by %.2g %% +- %.2g %%",
                100 * std::abs(joined.pooled.estimate), 100 * joined.pooled.error);
  const std::string words = std::string(text) + " (" + as_p(verdict.p_value) + ")";
  if (verdict.p_value < kSelfTestLevel) {
    verdict.acceptance = Reject{words + ": what is measured here cannot be trusted"};
  } else {
    verdict.acceptance = Accept{words};
  }
  return verdict;
}

Verdict judge_canary(std::span<const DevicePairs> devices) {
  const Joined joined = join(devices);
  Verdict verdict = verdict_of(joined);
  verdict.p_value = join(turned(devices)).pooled.p;
  const std::string words =
      "the canary is " + as_gain(joined.pooled.estimate) + " (" + as_p(verdict.p_value) + ")";
  if (verdict.p_value < kCanaryLevel) {
    verdict.acceptance = Accept{words};
  } else {
    verdict.acceptance = Reject{words +
                                ", although it is known to be worse: the parameters may not "
                                "reach the kernel"};
  }
  return verdict;
}

Verdict judge_comparison(std::span<const DevicePairs> devices, std::size_t look,
                         const DuelPlan& plan, const AcceptanceSettings& settings) {
  const Joined joined = join(devices);
  Verdict verdict = verdict_of(joined);
  const std::vector<DevicePairs> other_way = turned(devices);
  const double other = join(other_way).pooled.p;
  const bool better = joined.pooled.p < other;
  verdict.shape = shape_of(better ? devices : std::span<const DevicePairs>(other_way));
  verdict.p_value = std::min(1.0, 2 * std::min(joined.pooled.p, other));
  const int pairs = plan.pairs[look] * static_cast<int>(devices.size());
  const double level = 2 * plan.levels[look];
  verdict.looks = {{pairs, joined.pooled.estimate, joined.pooled.error, verdict.p_value, level}};
  const bool agreed = std::ranges::all_of(
      joined.devices, [&](const DeviceEffect& d) { return better ? d.effect > 0 : d.effect < 0; });
  const double margin = -std::log1p(-settings.min_improvement);
  const Interval effect = interval_of(joined.pooled, 0.95);
  const std::string words = as_gain(joined.pooled.estimate) + ", " + as_p(verdict.p_value);
  if (verdict.p_value <= level && agreed) {
    verdict.acceptance = Accept{words};
  } else if (effect.low > -margin && effect.high < margin) {
    verdict.acceptance = Reject{"no difference worth mentioning: " + words};
  } else if (look + 1 < plan.pairs.size()) {
    verdict.acceptance = NeedMore{plan.pairs[look + 1] - plan.pairs[look], words};
  } else if (verdict.p_value <= level) {
    verdict.acceptance = Reject{"devices disagree: " + words};
  } else {
    verdict.acceptance = Reject{"no difference shown: " + words};
  }
  return verdict;
}

}  // namespace nightshift::search
