#include "search/acceptance/duel.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "search/acceptance/duel_statistics.h"
#include "search/statistics/distributions.h"
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

// The device that stands in the way of a pooled acceptance, with why; nullopt if none does.
std::optional<std::string> objection(const Joined& joined, const AcceptanceSettings& settings) {
  const auto against = [&](const DeviceEffect& d) {
    return "on " + d.device + " the candidate is " +
           (d.effect == 0 ? std::string("no better") : as_gain(d.effect, gain_form(settings)));
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

std::string overall(const Joined& joined, const std::string& opponent,
                    const AcceptanceSettings& settings) {
  return "candidate " + as_gain(joined.pooled.estimate, gain_form(settings)) + " than the " +
         opponent;
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
    return Reject{"real but small: " + overall(joined, opponent, settings) + " (" + as_p(p) +
                  "), less than the " + as_share(settings.min_improvement, gain_form(settings)) +
                  " that is worth accepting"};
  }
  if (!shape.empty() && settings.tail == TailRule::kReject) return Reject{shape};
  return Accept{overall(joined, opponent, settings) + ", " + as_p(p) + ", " +
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
    looks.push_back(look_of(cut, joined, duel_p(cut, joined, settings), plan.levels[i]));
  }
  return looks;
}

Acceptance decide(std::span<const DevicePairs> devices, const Joined& joined, const Look& look,
                  int further, double fraction, const std::string& opponent, Verdict& verdict,
                  const AcceptanceSettings& settings) {
  const bool shown = look.p_value <= look.level;
  const std::optional<std::string> against = objection(joined, settings);
  if (shown && !against) {
    if (settings.tail != TailRule::kIgnore) verdict.shape = shape_of(devices, gain_form(settings));
    return accept_or_not(devices, joined, look.p_value, verdict.shape, opponent, settings);
  }
  if (further > 0 && is_futile(joined, fraction, settings)) {
    return Reject{overall(joined, opponent, settings) + " after " + std::to_string(look.pairs) +
                  " pairs: a gain worth accepting has become unlikely"};
  }
  if (further > 0) {
    return NeedMore{further, overall(joined, opponent, settings) + ", " + as_p(look.p_value)};
  }
  if (shown) {
    return Reject{"devices disagree: " + overall(joined, opponent, settings) + " over all, but " +
                  *against};
  }
  return Reject{overall(joined, opponent, settings) + " after " + std::to_string(look.pairs) +
                " pairs, which may be chance: " + as_p(look.p_value)};
}

// What these settings ask of pairs.
PairTest test_of(const AcceptanceSettings& settings) {
  return [settings](std::span<const DevicePairs> devices) {
    return duel_p(devices, join(as_judged(devices, settings)), settings);
  };
}

// Of one side of a comparison. Few pairs show by signed ranks as well.
double comparison_p(std::span<const DevicePairs> side, bool are_few) {
  const double p = join(side).pooled.p;
  if (is_landslide(side)) return p;
  const double coarse = std::max(p, least_p(side));
  return are_few ? std::max(coarse, signed_rank_p(all_effects(side))) : coarse;
}

}  // namespace

std::string why_too_few(std::size_t devices, const AcceptanceSettings& settings) {
  if (settings.devices_least <= 1 || static_cast<int>(devices) >= settings.devices_least) return "";
  return (devices == 1 ? "only one device has"
                       : "only " + std::to_string(devices) + " devices have") +
         std::string(" judged it, and devices_least asks for ") +
         std::to_string(settings.devices_least);
}

bool promises_landslide(double gain, double pair_sd) {
  constexpr double kReach = 3;  // standard deviations of a pair
  return shows_landslide(gain - kReach * pair_sd);
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
  verdict.p_value = duel_p(devices, joined, settings);
  const Look now = look_of(devices, joined, verdict.p_value, plan.levels[look]);
  const int further = look + 1 < plan.pairs.size() ? plan.pairs[look + 1] - plan.pairs[look] : 0;
  verdict.acceptance = decide(devices, joined, now, further,
                              static_cast<double>(plan.pairs[look]) / plan.pairs.back(),
                              "incumbent", verdict, settings);
  if (!std::holds_alternative<NeedMore>(verdict.acceptance)) {
    verdict.looks = earlier_looks(devices, look, plan, settings);
    verdict.interval = claim_interval(devices, test_of(settings), now.level);
  }
  verdict.looks.push_back(now);
  return verdict;
}

Verdict give_up_duel(std::span<const DevicePairs> devices, std::size_t look, const DuelPlan& plan,
                     const std::string& why, const AcceptanceSettings& settings) {
  const Joined joined = join(as_judged(devices, settings));
  Verdict verdict = verdict_of(joined);
  verdict.p_value = duel_p(devices, joined, settings);
  verdict.looks = earlier_looks(devices, look, plan, settings);
  verdict.acceptance = Reject{overall(joined, "incumbent", settings) + " after " +
                              std::to_string(pairs_so_far(devices)) + " pairs: " + why};
  return verdict;
}

namespace {

// `other_p`: of a test that has to agree; the larger of both decides, and is what is told.
Verdict judge_hold_out(std::span<const DevicePairs> devices, double level, double other_p,
                       const AcceptanceSettings& settings) {
  AcceptanceSettings fixed = settings;
  fixed.test = DuelTest::kGroupSequential;
  const Joined joined = join(devices);
  Verdict verdict = verdict_of(joined);
  verdict.p_value = std::max(duel_p(devices, joined, fixed), other_p);
  verdict.looks = {look_of(devices, joined, verdict.p_value, level)};
  verdict.interval = claim_interval(devices, test_of(fixed), level);
  verdict.acceptance =
      decide(devices, joined, verdict.looks.back(), 0, 1, "baseline", verdict, fixed);
  const std::string too_few = why_too_few(devices.size(), settings);
  if (is_accepted(verdict) && !too_few.empty()) {
    verdict.acceptance = Reject{too_few + ": " + reason_of(verdict.acceptance)};
  }
  return verdict;
}

}  // namespace

Verdict judge_hold_out(std::span<const DevicePairs> devices, double level,
                       const AcceptanceSettings& settings) {
  return judge_hold_out(devices, level, 0, settings);
}

Verdict judge_short_hold_out(std::span<const DevicePairs> devices, double level,
                             const AcceptanceSettings& settings) {
  Verdict verdict = judge_hold_out(devices, level, settings);
  if (!is_accepted(verdict) || is_landslide(devices)) return verdict;
  const std::vector<double> effects = all_effects(devices);
  const double p = signed_rank_p(effects);
  if (p <= level) verdict = judge_hold_out(devices, level, p, settings);
  AcceptanceSettings fixed = settings;
  fixed.test = DuelTest::kGroupSequential;
  const PairTest both = [test = test_of(fixed)](std::span<const DevicePairs> pairs) {
    return std::max(test(pairs), signed_rank_p(all_effects(pairs)));
  };
  verdict.interval = claim_interval(devices, both, level);
  if (p > level) {
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

Verdict judge_self_test(std::span<const DevicePairs> devices, const GainForm& form) {
  const Joined joined = join(devices);
  Verdict verdict = verdict_of(joined);
  verdict.p_value = std::min(
      1.0, 2 * student_upper_tail(std::abs(joined.pooled.t), std::max(joined.pooled.df, 1.0)));
  const std::string words = "the same configuration differs from itself by " +
                            as_size(joined.pooled.estimate, form) + " +- " +
                            as_size(joined.pooled.error, form) + " (" + as_p(verdict.p_value) + ")";
  if (verdict.p_value < kSelfTestLevel) {
    verdict.acceptance = Reject{words + ": what is measured here cannot be trusted"};
  } else {
    verdict.acceptance = Accept{words};
  }
  return verdict;
}

Verdict describe_pairs(std::span<const DevicePairs> devices, const GainForm& form) {
  const Joined joined = join(devices);
  Verdict verdict = verdict_of(joined);
  verdict.acceptance =
      Accept{"measured again, beside the baseline, in " + std::to_string(pairs_so_far(devices)) +
             " pairs: " + as_gain(joined.pooled.estimate, form)};
  return verdict;
}

Verdict judge_canary(std::span<const DevicePairs> devices, const GainForm& form) {
  const Joined joined = join(devices);
  Verdict verdict = verdict_of(joined);
  verdict.p_value = join(turned(devices)).pooled.p;
  const std::string words =
      "the canary is " + as_gain(joined.pooled.estimate, form) + " (" + as_p(verdict.p_value) + ")";
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
  const double one = comparison_p(devices, are_few), other = comparison_p(other_way, are_few);
  const bool better = joined.pooled.estimate > 0;
  verdict.shape =
      shape_of(better ? devices : std::span<const DevicePairs>(other_way), gain_form(settings));
  verdict.p_value = std::min(1.0, 2 * std::min(one, other));
  const double level = 2 * plan.levels[look];
  verdict.looks = {{pairs, joined.pooled.estimate, joined.pooled.error, verdict.p_value, level}};
  const bool agreed = std::ranges::all_of(
      joined.devices, [&](const DeviceEffect& d) { return better ? d.effect > 0 : d.effect < 0; });
  const double margin = -std::log1p(-settings.min_improvement);
  const Interval effect = interval_of(joined.pooled, 0.95);
  const bool is_equal = !are_few && effect.low > -margin && effect.high < margin;
  const std::string words =
      as_gain(joined.pooled.estimate, gain_form(settings)) + ", " + as_p(verdict.p_value);
  const bool shown = verdict.p_value <= level;
  if (shown && agreed) {
    verdict.acceptance = Accept{words};
  } else if (is_equal) {
    verdict.acceptance = Reject{"no difference worth mentioning: " + words};
    return verdict;  // with the interval that says so
  } else if (look + 1 < plan.pairs.size()) {
    verdict.acceptance = NeedMore{plan.pairs[look + 1] - plan.pairs[look], words};
    return verdict;
  } else {
    verdict.acceptance = Reject{(shown ? "devices disagree: " : "no difference shown: ") + words};
  }
  const auto test = [&](std::span<const DevicePairs> side) { return comparison_p(side, are_few); };
  verdict.interval = claim_interval(devices, test, plan.levels[look]);
  return verdict;
}

}  // namespace nightshift::search
