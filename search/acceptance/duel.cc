#include "search/acceptance/duel.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "search/acceptance/duel_statistics.h"
#include "search/statistics/distributions.h"
#include "search/statistics/e_process.h"
#include "search/statistics/power.h"
#include "search/statistics/sequential.h"
#include "search/statistics/signed_rank.h"
#include "search/statistics/summary.h"

namespace nightshift::search {
namespace {

constexpr double kMostDoubt = 0.07;       // that a device's effect is not above zero
constexpr double kFutility = 2.4;         // of is_futile()
constexpr double kFutileFrom = 1.0 / 16;  // of the pairs
constexpr double kHoldOutPower = 0.9;
// Of the gain that hold_out_pairs() counts on: the earlier duels end, the more they flatter.
constexpr double kClippedGain = 0.67 / 0.7;
constexpr double kLandslide = 0.69314718055994530942;  // ln 2
constexpr double kSelfTestLevel = 0.0027;  // two-sided: three standard errors of a normal
constexpr double kCanaryLevel = 0.01;

int pairs_so_far(std::span<const DevicePairs> devices) {
  std::size_t pairs = 0;
  for (const DevicePairs& d : devices) pairs += d.effects.size();
  return static_cast<int>(pairs);
}

// The pairs that every device had at an earlier look.
std::vector<DevicePairs> at_look(std::span<const DevicePairs> devices, int pairs) {
  std::vector<DevicePairs> cut(devices.begin(), devices.end());
  for (DevicePairs& d : cut) {
    d.effects.resize(std::min(d.effects.size(), static_cast<std::size_t>(pairs)));
    d.tails.resize(std::min(d.tails.size(), static_cast<std::size_t>(pairs)));
  }
  return cut;
}

// Bets of 1/4, 1/2, 1, 2 and 4 standard deviations. A device's scale is that of the sizes |d| of
// its pairs up to the present one, which the coin of that pair knows nothing of: its sign is as
// likely one as the other whatever they are, so that each factor has mean 1.
double anytime_p(std::span<const DevicePairs> devices) {
  constexpr int kBets = 5;
  constexpr double kLargestScale = 4;  // standard deviations that a difference is counted in
  constexpr double kSdOfMeanSize = 1.2533141;  // of a normal distribution: sqrt(pi / 2)
  TanhEProcess process(0, kBets);
  for (const DevicePairs& d : devices) {
    double sizes = 0, pairs = 0;
    for (const double effect : d.effects) {
      sizes += std::abs(effect);
      const double sd = kSdOfMeanSize * sizes / ++pairs;
      process.add(sd > 0 ? effect / (kLargestScale * sd) : 0);
    }
  }
  return std::min(1.0, std::exp(-process.log_e()));
}

double own_p(const DevicePairs& device, const AcceptanceSettings& settings) {
  const std::span<const DevicePairs> alone(&device, 1);
  if (settings.test == DuelTest::kAnytime) return anytime_p(alone);
  return std::max(join(as_judged(alone, settings)).pooled.p, least_p(alone));
}

// The means of the devices are the sample (t with G-1 degrees of freedom).
double fleet_p(const Joined& joined) {
  const std::span<const double> means(joined.pooled.device_means);
  return stratified_t(std::span(&means, 1), 0, kDifferenceVariance).p;
}

double p_of(std::span<const DevicePairs> devices, const Joined& joined,
            const AcceptanceSettings& settings) {
  switch (settings.consensus) {
    case Consensus::kStrict: {
      double worst = 0;
      for (const DevicePairs& d : devices) worst = std::max(worst, own_p(d, settings));
      return devices.empty() ? 1 : worst;
    }
    case Consensus::kFleet:
      return fleet_p(joined);
    case Consensus::kConsistent:
    case Consensus::kMajority:
      break;
  }
  if (settings.test == DuelTest::kAnytime) return anytime_p(devices);
  return is_landslide(devices) ? joined.pooled.p : std::max(joined.pooled.p, least_p(devices));
}

// The device that stands in the way of a pooled acceptance, with why; nullopt if none does.
std::optional<std::string> objection(const Joined& joined, const AcceptanceSettings& settings) {
  const auto against = [](const DeviceEffect& d) {
    return "on " + d.device + " the candidate is " +
           (d.effect == 0 ? std::string("no better") : as_gain(d.effect));
  };
  if (settings.consensus == Consensus::kMajority) {
    const auto agree =
        std::ranges::count_if(joined.devices, [](const DeviceEffect& d) { return d.effect > 0; });
    const auto all = static_cast<std::ptrdiff_t>(joined.devices.size());
    const std::ptrdiff_t needed = settings.majority > 0 ? settings.majority : all / 2 + 1;
    if (agree >= needed) return std::nullopt;
    return "only " + std::to_string(agree) + " of " + std::to_string(all) + " devices agree, not " +
           std::to_string(needed);
  }
  if (settings.consensus == Consensus::kFleet) return std::nullopt;
  for (const DeviceEffect& d : joined.devices) {
    if (!(d.effect > 0)) return against(d);
  }
  if (settings.consensus == Consensus::kStrict) return std::nullopt;
  for (std::size_t i = 0; i < joined.devices.size(); ++i) {
    if (joined.doubts[i] > kMostDoubt) {
      return against(joined.devices[i]) + ", which may well be none (" + as_p(joined.doubts[i]) +
             ")";
    }
  }
  return std::nullopt;
}

std::string on_devices(std::size_t count, const std::string& only) {
  return count == 1 ? "on " + only : "on all " + std::to_string(count) + " devices";
}

std::string overall(const Joined& joined, const std::string& opponent) {
  return "candidate " + as_gain(joined.pooled.estimate) + " than the " + opponent;
}

// Candidates that are equal cost most of the evaluations of a study, so the later the look, the
// less benefit of the doubt: the gain that is asked for must be within z standard errors, z falling
// from 1.8 at a sixteenth of the pairs, before which nothing is given up, to 0.7 at half of them. A
// true gain of four times what is asked, where the last look just shows it, loses some 1 % of power
// by that.
bool is_futile(const Joined& joined, double fraction, const AcceptanceSettings& settings) {
  const double asked = -std::log1p(-settings.min_improvement);
  const double z = kFutility * (1 - std::sqrt(fraction));
  return std::isfinite(joined.pooled.error) &&
         joined.pooled.estimate + z * joined.pooled.error < asked && fraction >= kFutileFrom;
}

Acceptance accept_or_not(std::span<const DevicePairs> devices, const Joined& joined, double p,
                         const std::string& shape, const std::string& opponent,
                         const AcceptanceSettings& settings) {
  const double gain = 1 - std::exp(-joined.pooled.estimate);
  if (gain < settings.min_improvement) {
    return Reject{"real but small: " + overall(joined, opponent) + " (" + as_p(p) +
                  "), less than the " + as_percent(settings.min_improvement) +
                  " that is worth accepting"};
  }
  if (!shape.empty() && settings.tail == TailRule::kReject) return Reject{shape};
  return Accept{overall(joined, opponent) + ", " + as_p(p) + ", " +
                on_devices(devices.size(), devices.front().device) +
                (joined.heterogeneity.depends ? "; how much depends on the device" : "") +
                (shape.empty() ? "" : "; " + shape)};
}

Look look_of(std::span<const DevicePairs> devices, const Joined& joined, double p, double level) {
  return {pairs_so_far(devices), joined.pooled.estimate, joined.pooled.error, p, level};
}

std::vector<Look> earlier_looks(std::span<const DevicePairs> devices, std::size_t look,
                                const DuelPlan& plan, const AcceptanceSettings& settings) {
  std::vector<Look> looks;
  if (settings.test == DuelTest::kAnytime) return looks;  // one a pair: they would fill pages
  for (std::size_t i = 0; i < look; ++i) {
    const auto cut = at_look(devices, plan.pairs[i]);
    const Joined joined = join(as_judged(cut, settings));
    looks.push_back(look_of(cut, joined, p_of(cut, joined, settings), plan.levels[i]));
  }
  return looks;
}

Acceptance decide(std::span<const DevicePairs> devices, const Joined& joined, const Look& look,
                  int further, double fraction, const std::string& opponent, Verdict& verdict,
                  const AcceptanceSettings& settings) {
  const bool shown = look.p_value <= look.level;
  const std::optional<std::string> against = objection(joined, settings);
  if (shown && !against) {
    if (settings.tail != TailRule::kIgnore) verdict.shape = shape_of(devices);
    return accept_or_not(devices, joined, look.p_value, verdict.shape, opponent, settings);
  }
  if (further > 0 && is_futile(joined, fraction, settings)) {
    return Reject{overall(joined, opponent) + " after " + std::to_string(look.pairs) +
                  " pairs: a gain worth accepting has become unlikely"};
  }
  if (further > 0) return NeedMore{further, overall(joined, opponent) + ", " + as_p(look.p_value)};
  if (shown)
    return Reject{"devices disagree: " + overall(joined, opponent) + " over all, but " + *against};
  return Reject{overall(joined, opponent) + " after " + std::to_string(look.pairs) +
                " pairs, which may be chance: " + as_p(look.p_value)};
}

std::vector<DevicePairs> turned(std::span<const DevicePairs> devices) {
  std::vector<DevicePairs> other(devices.begin(), devices.end());
  for (DevicePairs& d : other) {
    for (double& effect : d.effects) effect = -effect;
    for (double& tail : d.tails) tail = -tail;
  }
  return other;
}

}  // namespace

std::string why_too_few(std::size_t devices, const AcceptanceSettings& settings) {
  if (settings.devices_least <= 1 || static_cast<int>(devices) >= settings.devices_least) return "";
  return (devices == 1 ? "only one device has"
                       : "only " + std::to_string(devices) + " devices have") +
         std::string(" judged it, and devices_least asks for ") +
         std::to_string(settings.devices_least);
}

bool shows_landslide(double effect) { return effect > kLandslide; }

bool is_landslide(std::span<const DevicePairs> devices) {
  return !devices.empty() && std::ranges::all_of(devices, [](const DevicePairs& d) {
    return !d.effects.empty() && std::ranges::all_of(d.effects, shows_landslide);
  });
}

bool promises_landslide(double gain, double pair_sd) {
  constexpr double kReach = 3;  // standard deviations of a pair
  return gain > kLandslide + kReach * pair_sd;
}

bool promises_landslide_by_far(double gain, double pair_sd) {
  constexpr double kByFar = 20;  // pair_sd; nothing is known of the noise where that is 0
  return pair_sd > 0 && gain > kByFar * pair_sd && promises_landslide(gain, 2 * pair_sd);
}

std::optional<Verdict> judge_landslide(std::span<const DevicePairs> devices, const DuelPlan& plan,
                                       const AcceptanceSettings& settings, bool both_sides) {
  const DuelPlan early{{plan.early}, {plan.early_level}};
  const bool is_one = is_landslide(devices) || (both_sides && is_landslide(turned(devices)));
  if (!is_one) return std::nullopt;
  Verdict verdict = both_sides ? judge_comparison(devices, 0, early, settings)
                               : judge_duel(devices, 0, early, settings);
  return is_accepted(verdict) ? std::optional(std::move(verdict)) : std::nullopt;
}

Verdict judge_duel(std::span<const DevicePairs> devices, std::size_t look, const DuelPlan& plan,
                   const AcceptanceSettings& settings) {
  const Joined joined = join(as_judged(devices, settings));
  Verdict verdict = verdict_of(joined);
  verdict.p_value = p_of(devices, joined, settings);
  const Look now = look_of(devices, joined, verdict.p_value, plan.levels[look]);
  const int further = look + 1 < plan.pairs.size() ? plan.pairs[look + 1] - plan.pairs[look] : 0;
  verdict.acceptance = decide(devices, joined, now, further,
                              static_cast<double>(plan.pairs[look]) / plan.pairs.back(),
                              "incumbent", verdict, settings);
  if (!std::holds_alternative<NeedMore>(verdict.acceptance)) {
    verdict.looks = earlier_looks(devices, look, plan, settings);
  }
  verdict.looks.push_back(now);
  return verdict;
}

Verdict give_up_duel(std::span<const DevicePairs> devices, std::size_t look, const DuelPlan& plan,
                     const std::string& why, const AcceptanceSettings& settings) {
  const Joined joined = join(as_judged(devices, settings));
  Verdict verdict = verdict_of(joined);
  verdict.p_value = p_of(devices, joined, settings);
  verdict.looks = earlier_looks(devices, look, plan, settings);
  verdict.acceptance = Reject{overall(joined, "incumbent") + " after " +
                              std::to_string(pairs_so_far(devices)) + " pairs: " + why};
  return verdict;
}

Verdict judge_hold_out(std::span<const DevicePairs> devices, double level,
                       const AcceptanceSettings& settings) {
  AcceptanceSettings fixed = settings;
  fixed.test = DuelTest::kGroupSequential;
  const Joined joined = join(devices);
  Verdict verdict = verdict_of(joined);
  verdict.p_value = p_of(devices, joined, fixed);
  verdict.looks = {look_of(devices, joined, verdict.p_value, level)};
  verdict.acceptance =
      decide(devices, joined, verdict.looks.back(), 0, 1, "baseline", verdict, fixed);
  const std::string too_few = why_too_few(devices.size(), settings);
  if (is_accepted(verdict) && !too_few.empty()) {
    verdict.acceptance = Reject{too_few + ": " + reason_of(verdict.acceptance)};
  }
  return verdict;
}

Verdict judge_short_hold_out(std::span<const DevicePairs> devices, double level,
                             const AcceptanceSettings& settings) {
  Verdict verdict = judge_hold_out(devices, level, settings);
  if (!is_accepted(verdict) || is_landslide(devices)) return verdict;
  const std::vector<double> effects = all_effects(devices);
  const double p = signed_rank_p(effects);
  if (p <= level) {
    verdict.p_value = std::max(verdict.p_value, p);
  } else {
    verdict.acceptance = Reject{std::to_string(effects.size()) +
                                " pairs, all that the time or the lack of a self-test left it, are "
                                "too few to claim by (signed ranks: " +
                                as_p(p) + "): " + reason_of(verdict.acceptance)};
  }
  return verdict;
}

int fewest_hold_out_pairs(double level, int devices) {
  return (fewest_for_signed_rank(level) + devices - 1) / std::max(devices, 1);
}

int hold_out_pairs(double pair_sd, double effect, int devices, const AcceptanceSettings& settings) {
  const double gain = settings.test == DuelTest::kClipped ? kClippedGain * effect : effect;
  const auto pairs =
      hold_out_pairs(pair_sd, gain, static_cast<std::size_t>(devices), level_together(settings),
                     kHoldOutPower, static_cast<std::size_t>(settings.hold_out_least),
                     static_cast<std::size_t>(settings.hold_out_most));
  return static_cast<int>(pairs);
}

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

Verdict describe_pairs(std::span<const DevicePairs> devices) {
  const Joined joined = join(devices);
  Verdict verdict = verdict_of(joined);
  verdict.acceptance =
      Accept{"measured again, beside the baseline, in " + std::to_string(pairs_so_far(devices)) +
             " pairs: " + as_gain(joined.pooled.estimate)};
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
  const int pairs = plan.pairs[look] * static_cast<int>(devices.size());
  const bool are_few = pairs < kFewestOfComparison;
  const auto p_of_side = [&](std::span<const DevicePairs> side, const Joined& its) {
    if (is_landslide(side)) return its.pooled.p;
    const double p = std::max(its.pooled.p, least_p(side));
    return are_few ? std::max(p, signed_rank_p(all_effects(side))) : p;
  };
  const double one = p_of_side(devices, joined), other = p_of_side(other_way, join(other_way));
  const bool better = joined.pooled.estimate > 0;
  verdict.shape = shape_of(better ? devices : std::span<const DevicePairs>(other_way));
  verdict.p_value = std::min(1.0, 2 * std::min(one, other));
  const double level = 2 * plan.levels[look];
  verdict.looks = {{pairs, joined.pooled.estimate, joined.pooled.error, verdict.p_value, level}};
  const bool agreed = std::ranges::all_of(
      joined.devices, [&](const DeviceEffect& d) { return better ? d.effect > 0 : d.effect < 0; });
  const double margin = -std::log1p(-settings.min_improvement);
  const Interval effect = interval_of(joined.pooled, 0.95);
  const std::string words = as_gain(joined.pooled.estimate) + ", " + as_p(verdict.p_value);
  if (verdict.p_value <= level && agreed) {
    verdict.acceptance = Accept{words};
  } else if (!are_few && effect.low > -margin && effect.high < margin) {
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
