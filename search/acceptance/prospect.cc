#include "search/acceptance/prospect.h"

#include <algorithm>
#include <cmath>

#include "search/acceptance/duel_statistics.h"
#include "search/statistics/distributions.h"

namespace nightshift::search {
namespace {

constexpr double kPower = 0.8;

// The smallest mean effect that a look accepts, where that mean has this error.
double bar_of(double level, double error, const AcceptanceSettings& settings) {
  const double shown =
      level > 0 ? normal_upper_quantile(level) * error : std::numeric_limits<double>::infinity();
  return std::max(shown, -std::log1p(-settings.min_improvement));
}

}  // namespace

Prospect with_pairs(const Prospect& before, std::span<const DevicePairs> duel,
                    const AcceptanceSettings& settings) {
  const Joined joined = join(as_judged(duel, settings));
  const double error = joined.pooled.error;
  if (!std::isfinite(error)) return before;
  if (!std::isfinite(before.sd) || !(before.sd > 0)) return {joined.pooled.estimate, error};
  const double prior = 1 / (before.sd * before.sd), data = 1 / (error * error);
  return {(prior * before.gain + data * joined.pooled.estimate) / (prior + data),
          1 / std::sqrt(prior + data)};
}

double chance_to_accept(const Prospect& now, std::span<const DevicePairs> duel, std::size_t look,
                        int most, const DuelPlan& plan, const AcceptanceSettings& settings) {
  const Joined joined = join(as_judged(duel, settings));
  std::size_t count = 0;
  for (const DevicePairs& d : duel) count += d.effects.size();
  const auto pairs = static_cast<double>(count), devices = static_cast<double>(duel.size());
  const double pair_sd = joined.pooled.error * std::sqrt(pairs);
  if (!std::isfinite(pair_sd) || !std::isfinite(now.sd)) return 1;
  double best = 0;
  for (std::size_t i = look; i < plan.pairs.size() && plan.pairs[i] <= most; ++i) {
    const double all = plan.pairs[i] * devices;
    const double further = std::max(all - pairs, 0.0);
    const double share = further / all;
    const double mean = (1 - share) * joined.pooled.estimate + share * now.gain;
    const double noise = further > 0 ? pair_sd / std::sqrt(further) : 0;
    const double sd = std::max(share * std::hypot(now.sd, noise), 1e-12);
    const double bar = bar_of(plan.levels[i], pair_sd / std::sqrt(all), settings);
    best = std::max(best, normal_upper_tail((bar - mean) / sd));
  }
  return best;
}

int pairs_to_show(double gain, double pair_sd, int devices, const DuelPlan& plan,
                  const AcceptanceSettings& settings) {
  const double power = normal_quantile(kPower);
  if (plan.early > 0 && promises_landslide(gain, pair_sd)) {
    const auto pairs = static_cast<double>(plan.early * devices);
    const double error = pair_sd / std::sqrt(pairs);
    const double t = student_upper_quantile(plan.early_level, pairs - devices);
    if (gain >= (t + power) * error) return plan.early;
  }
  for (std::size_t i = 0; i < plan.pairs.size(); ++i) {
    const double error = pair_sd / std::sqrt(static_cast<double>(plan.pairs[i] * devices));
    if (gain >= bar_of(plan.levels[i], error, settings) + power * error) return plan.pairs[i];
  }
  return plan.pairs.back();
}

}  // namespace nightshift::search
