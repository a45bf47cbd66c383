// What is judged beside duels: the hold-out, the self-test, the canary, a comparison.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/rng.h"
#include "search/acceptance/duel.h"
#include "search/acceptance/duel_statistics.h"

namespace nightshift::search {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Values = std::vector<double>;

std::string kind_of(const Verdict& verdict) { return std::string(name_of(verdict.acceptance)); }

std::vector<DevicePairs> on_devices(const std::vector<Values>& effects) {
  std::vector<DevicePairs> devices;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    devices.push_back({"gpu" + std::to_string(i), effects[i], {}, 0});
  }
  return devices;
}

Values drawn(base::Rng& rng, double effect, double sd, int pairs) {
  Values values;
  for (int i = 0; i < pairs; ++i) values.push_back(effect + sd * rng.normal());
  return values;
}

// --- Hold-out ---

TEST(HoldOut, IsNoClaimWhereTooFewDevicesHaveJudged) {
  const Values good = Values(12, 0.05);
  AcceptanceSettings settings;
  settings.devices_least = 2;
  const Verdict alone = judge_hold_out(on_devices({good}), 0.01, settings);
  EXPECT_EQ(kind_of(alone), "reject");
  EXPECT_THAT(reason_of(alone.acceptance),
              StartsWith("only one device has judged it, and devices_least asks for 2: "));
  EXPECT_EQ(kind_of(judge_hold_out(on_devices({good, good}), 0.01, settings)), "accept");
  const Verdict bad = judge_hold_out(on_devices({Values(12, -0.05)}), 0.01, settings);
  EXPECT_THAT(reason_of(bad.acceptance), Not(HasSubstr("devices_least")));
}

// As its headline has it: from 100 GB/s to 120.
TEST(HoldOut, OfARateIsToldByHowMuchItRises) {
  AcceptanceSettings settings;
  const auto told = [&](double factor) {
    const Verdict verdict =
        judge_hold_out(on_devices({Values(12, std::log(factor))}), 0.01, settings);
    return reason_of(verdict.acceptance);
  };
  EXPECT_THAT(told(1.2), StartsWith("candidate 16.7 % better than the baseline"));
  settings.rises = true;
  EXPECT_THAT(told(1.2), StartsWith("candidate 20 % better than the baseline"));
  EXPECT_THAT(told(0.8), StartsWith("candidate 20 % worse than the baseline"));
}

AcceptanceSettings sequential() {
  AcceptanceSettings settings;
  settings.test = DuelTest::kGroupSequential;
  return settings;
}

TEST(HoldOutPairs, ShowTheGainNineTimesOfTen) {
  // ((2.326348 + 1.281552) sd / (0.7 effect))^2 / devices, rounded up.
  EXPECT_EQ(hold_out_pairs(0.1, 0.05, 1, sequential()), 107);  // 106.26
  EXPECT_EQ(hold_out_pairs(0.1, 0.05, 2, sequential()), 54);
  EXPECT_EQ(hold_out_pairs(0.1, 0.05, 4, sequential()), 27);
  EXPECT_EQ(hold_out_pairs(0.05, 0.05, 1, sequential()), 27);
  AcceptanceSettings strict = sequential();
  strict.level = 0.001;  // 3.090232: 156.0
  strict.hold_out_most = 1000;
  EXPECT_EQ(hold_out_pairs(0.1, 0.05, 1, strict), 157);
}

TEST(HoldOutPairs, OfABatchShowTheGainAtTheLevelThatAllOfItsClaimsShare) {
  AcceptanceSettings strict = sequential();
  strict.level = 0.001;
  AcceptanceSettings batch = sequential();
  batch.claims_together = 10;
  EXPECT_DOUBLE_EQ(level_together(batch), 0.001);
  for (AcceptanceSettings* settings : {&strict, &batch}) settings->hold_out_most = 1000;
  EXPECT_EQ(hold_out_pairs(0.1, 0.05, 1, batch), hold_out_pairs(0.1, 0.05, 1, strict));
  EXPECT_EQ(fewest_hold_out_pairs(level_together(batch), 1), 10);  // 2^-10 < 0.001 < 2^-9
}

TEST(HoldOutPairs, KeepWithinTheirBounds) {
  EXPECT_EQ(hold_out_pairs(0.001, 0.5, 1, sequential()), 12);
  EXPECT_EQ(hold_out_pairs(0, 0.5, 1, sequential()), 12);
  EXPECT_EQ(hold_out_pairs(1, 0.01, 1, sequential()), 128);
  EXPECT_EQ(hold_out_pairs(0.1, 0, 1, sequential()), 128) << "no gain to be shown";
  EXPECT_EQ(hold_out_pairs(0.1, -0.1, 1, sequential()), 128);
  EXPECT_EQ(hold_out_pairs(0.1, std::numeric_limits<double>::quiet_NaN(), 1, sequential()), 128);
}

TEST(HoldOutPairs, OfClippedDuelsWhichEndEarlierCountOnLess) {
  EXPECT_EQ(hold_out_pairs(0.1, 0.05, 1, {}), 116);  // 107 (0.7 / 0.67)^2
  EXPECT_EQ(hold_out_pairs(0.001, 0.5, 1, {}), 12);
}

TEST(HoldOut, IsOneLookAtItsOwnLevel) {
  const Values effects = {0.012, 0.004, -0.003, 0.009, 0.007, 0.011, 0.006, 0.010};  // p = 0.00231
  AcceptanceSettings settings;
  const Verdict confirmed = judge_hold_out(on_devices({effects}), 0.0024, settings);
  EXPECT_EQ(kind_of(confirmed), "accept");
  ASSERT_EQ(confirmed.looks.size(), 1U);
  EXPECT_EQ(confirmed.looks[0].pairs, 8);
  EXPECT_EQ(confirmed.looks[0].level, 0.0024);
  const Verdict missed = judge_hold_out(on_devices({effects}), 0.0023, settings);
  EXPECT_EQ(kind_of(missed), "reject");
  EXPECT_THAT(reason_of(missed.acceptance), HasSubstr("after 8 pairs, which may be chance: p = "));
}

TEST(HoldOut, NeedsEveryDeviceAndNeverAsksForMore) {
  base::Rng rng(1);
  const Values good = drawn(rng, 0.1, 0.01, 12), bad = drawn(rng, -0.05, 0.01, 12);
  const Verdict verdict = judge_hold_out(on_devices({good, bad}), 0.01, {});
  ASSERT_EQ(kind_of(verdict), "reject");
  EXPECT_THAT(reason_of(verdict.acceptance), HasSubstr("on gpu1 the candidate is "));
  EXPECT_EQ(kind_of(judge_hold_out(on_devices({drawn(rng, 0.02, 0.2, 12)}), 0.01, {})), "reject");
  AcceptanceSettings anytime;
  anytime.test = DuelTest::kAnytime;
  EXPECT_EQ(kind_of(judge_hold_out(on_devices({Values(4, 0.1)}), 0.01, anytime)), "accept")
      << "a fixed number of pairs has the t test's power";
}

TEST(HoldOut, ConfirmsEqualConfigurationsNoMoreOftenThanTheLevel) {
  AcceptanceSettings test_alone = sequential();
  test_alone.min_improvement = 0;
  base::Rng rng(2);
  int confirmed = 0;
  for (int i = 0; i < 5000; ++i) {
    confirmed +=
        is_accepted(judge_hold_out(on_devices({drawn(rng, 0, 0.04, 12), drawn(rng, 0, 0.04, 12)}),
                                   0.01, test_alone))
            ? 1
            : 0;
  }
  EXPECT_EQ(confirmed, 36);  // 50 expected, and both devices must agree
  int found = 0;
  const int pairs = hold_out_pairs(0.04, 0.02, 2, test_alone);
  for (int i = 0; i < 1000; ++i) {  // the gain is 70 % of what the duels said
    found += is_accepted(judge_hold_out(
                 on_devices({drawn(rng, 0.014, 0.04, pairs), drawn(rng, 0.014, 0.04, pairs)}), 0.01,
                 test_alone))
                 ? 1
                 : 0;
  }
  EXPECT_EQ(found, 872);  // 90 %, and both devices must agree
}

// --- Self-test ---

TEST(SelfTest, TrustsWhatScattersAroundZero) {
  const Verdict verdict = judge_self_test(on_devices({{0.01, -0.01, 0.012, -0.009}}));
  EXPECT_EQ(kind_of(verdict), "accept");
  EXPECT_THAT(reason_of(verdict.acceptance),
              StartsWith("the same configuration differs from itself by 0.075 % +- 0.59 % (p = "));
}

TEST(SelfTest, DistrustsADifferenceInEitherDirection) {
  for (const double sign : {1.0, -1.0}) {
    Values effects;
    for (int i = 0; i < 16; ++i) effects.push_back(sign * (0.01 + 0.002 * (i % 3 - 1)));
    const Verdict verdict = judge_self_test(on_devices({effects}));
    EXPECT_EQ(kind_of(verdict), "reject") << sign;
    EXPECT_THAT(reason_of(verdict.acceptance),
                EndsWith(": what is measured here cannot be trusted"));
  }
}

TEST(SelfTest, AlarmsForNothingAsOftenAsThreeStandardErrorsDo) {
  base::Rng rng(3);
  int alarms = 0;
  for (int i = 0; i < 10000; ++i) {
    const auto devices = on_devices({drawn(rng, 0, 0.04, 16), drawn(rng, 0, 0.02, 16)});
    alarms += is_accepted(judge_self_test(devices)) ? 0 : 1;
  }
  EXPECT_EQ(alarms, 29);  // 27 expected
}

TEST(SelfTest, WhatRepeatsExactlyIsTrusted) {
  EXPECT_EQ(kind_of(judge_self_test(on_devices({Values(16, 0), Values(16, 0)}))), "accept");
}

// --- Canary ---

TEST(Canary, MustShowThatItIsSlower) {
  const Verdict slower = judge_canary(on_devices({{-0.2, -0.21, -0.19, -0.2}}), false);
  EXPECT_EQ(kind_of(slower), "accept");
  EXPECT_THAT(reason_of(slower.acceptance), StartsWith("the canary is 22.1 % worse (p = "));
  for (const double effect : {0.0, 0.2}) {
    const Verdict verdict =
        judge_canary(on_devices({{effect, effect + 0.01, effect - 0.01, effect}}), false);
    EXPECT_EQ(kind_of(verdict), "reject") << effect;
    EXPECT_THAT(reason_of(verdict.acceptance),
                EndsWith("although it is known to be worse: the parameters may not reach the "
                         "kernel"));
  }
}

// A rate that falls to 80 % is 20 % worse, and one that rises to 125 % is 25 % better.
TEST(RateThatRises, IsToldByHowMuch) {
  const double gain = std::log(1.25);
  const auto at = [](double effect) { return on_devices({{effect, effect, effect, effect}}); };
  EXPECT_THAT(reason_of(judge_canary(at(-gain), true).acceptance), HasSubstr("is 20 % worse"));
  EXPECT_THAT(reason_of(judge_canary(at(-gain), false).acceptance), HasSubstr("is 25 % worse"));
  EXPECT_THAT(reason_of(describe_pairs(at(gain), true).acceptance), HasSubstr(": 25 % better"));
  EXPECT_THAT(reason_of(describe_pairs(at(gain), false).acceptance), HasSubstr(": 20 % better"));
}

// --- Comparison ---

DuelPlan comparison_plan(int devices) {
  AcceptanceSettings each_side;
  each_side.test = DuelTest::kGroupSequential;  // as plan_ranking() asks
  each_side.level /= 2;
  return plan_duel(devices, each_side);
}

Verdict compare(const std::vector<Values>& effects) {
  const DuelPlan plan = comparison_plan(static_cast<int>(effects.size()));
  const auto at = std::ranges::find(plan.pairs, static_cast<int>(effects[0].size()));
  return judge_comparison(on_devices(effects), static_cast<std::size_t>(at - plan.pairs.begin()),
                          plan, {});
}

TEST(Comparison, NamesTheBetterOfTwo) {
  base::Rng rng(4);
  for (const double sign : {1.0, -1.0}) {
    const Verdict verdict =
        compare({drawn(rng, sign * 0.1, 0.01, 4), drawn(rng, sign * 0.12, 0.01, 4)});
    ASSERT_EQ(kind_of(verdict), "accept") << sign;
    EXPECT_EQ(verdict.ratio<1, sign> 0);
    EXPECT_THAT(reason_of(verdict.acceptance),
                HasSubstr(sign > 0 ? " % better, p = " : " % worse, p = "));
    EXPECT_EQ(verdict.looks.size(), 1U);
    EXPECT_NEAR(verdict.looks[0].level, 2 * comparison_plan(2).levels[0], 1e-15);
  }
}

TEST(Comparison, SaysThatThereIsNothingBetweenThem) {
  base::Rng rng(5);
  const Verdict equal = compare({drawn(rng, 0, 0.002, 8)});
  ASSERT_EQ(kind_of(equal), "reject");
  EXPECT_THAT(reason_of(equal.acceptance), StartsWith("no difference worth mentioning: "));
  EXPECT_EQ(kind_of(compare({drawn(rng, 0, 0.1, 8)})), "need more");
  const Verdict unknown = compare({drawn(rng, 0, 0.1, 128)});
  ASSERT_EQ(kind_of(unknown), "reject");
  EXPECT_THAT(reason_of(unknown.acceptance), StartsWith("no difference shown: "));
}

TEST(Comparison, DevicesMustNotContradict) {
  base::Rng rng(6);
  const Verdict verdict = compare({drawn(rng, 0.2, 0.01, 64), drawn(rng, -0.05, 0.01, 64)});
  ASSERT_EQ(kind_of(verdict), "reject");
  EXPECT_THAT(reason_of(verdict.acceptance), StartsWith("devices disagree: "));
}

TEST(Comparison, FindsADifferenceBetweenEqualsAsOftenAsTheLevelSays) {
  base::Rng rng(7);
  const DuelPlan plan = comparison_plan(1);
  AcceptanceSettings settings;
  settings.min_improvement = 0;
  int different = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<DevicePairs> devices = on_devices({{}});
    for (std::size_t look = 0; look < plan.pairs.size(); ++look) {
      while (static_cast<int>(devices[0].effects.size()) < plan.pairs[look]) {
        devices[0].effects.push_back(0.04 * rng.normal());
      }
      const Verdict verdict = judge_comparison(devices, look, plan, settings);
      different += is_accepted(verdict) ? 1 : 0;
      if (!std::holds_alternative<NeedMore>(verdict.acceptance)) break;
    }
  }
  EXPECT_EQ(different, 18);  // 0.92 of 20 expected
}

// --- Coarse figures ---

// Both sides take values of a clock whose tick is as long as what it measures.
Values coarse(base::Rng& rng, int ticks, int pairs) {
  const auto figure = [&] {
    return 10.0 * static_cast<double>(1 + rng.below(static_cast<std::uint64_t>(ticks)));
  };
  Values values;
  for (int i = 0; i < pairs; ++i) values.push_back(std::log(figure() / figure()));
  return values;
}

TEST(CoarseFigures, EqualSidesAreToldApartNoOftenerThanTheLevelSays) {
  base::Rng rng(3);
  for (const int ticks : {2, 3, 5}) {
    for (const int most : {8, 128}) {
      AcceptanceSettings settings;
      settings.min_improvement = 0;
      settings.max_pairs = most;
      settings.level = 0.05;
      AcceptanceSettings half = settings;
      half.test = DuelTest::kGroupSequential;
      half.level /= 2;
      const DuelPlan plan = plan_duel(1, half);
      int different = 0;
      for (int i = 0; i < 1000; ++i) {
        std::vector<DevicePairs> devices = on_devices({{}});
        for (std::size_t look = 0; look < plan.pairs.size(); ++look) {
          const int more = plan.pairs[look] - static_cast<int>(devices[0].effects.size());
          for (const double d : coarse(rng, ticks, more)) devices[0].effects.push_back(d);
          const Verdict verdict = judge_comparison(devices, look, plan, settings);
          different += is_accepted(verdict) ? 1 : 0;
          if (!std::holds_alternative<NeedMore>(verdict.acceptance)) break;
        }
      }
      EXPECT_LE(different, 75) << ticks << " ticks, " << most << " pairs";  // 50 and 3.6 sd
    }
  }
}

TEST(CoarseFigures, AHoldOutOfEqualSidesIsNoClaim) {
  base::Rng rng(4);
  int claims = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto devices = on_devices({coarse(rng, 2, 12)});
    claims += is_accepted(judge_hold_out(devices, 0.01, {})) ? 1 : 0;
  }
  EXPECT_LE(claims, 36);  // 20 and 3.6 sd
}

TEST(CoarseFigures, WhatNeverChangesNeedsNoMorePairsThanOthers) {
  const DuelPlan plan = comparison_plan(1);
  EXPECT_TRUE(is_accepted(judge_comparison(on_devices({Values(8, 0.1)}), 0, plan, {})));
  EXPECT_FALSE(is_accepted(judge_comparison(on_devices({Values(2, 0.1)}), 0, plan, {})));
}

// Effects are differences over the scale, 9 dB.
TEST(Differences, AreSaidInTheUnitOfTheFigureAndNotInPercent) {
  AcceptanceSettings settings;
  settings.rises = true;
  settings.difference_scale = 9;
  settings.difference_unit = "dB";
  const GainForm form = gain_form(settings);
  EXPECT_EQ(as_gain(1, form), "9 dB better");
  EXPECT_EQ(as_gain(-0.5, form), "4.5 dB worse");
  EXPECT_EQ(as_share(0.01, form), "0.09045 dB");
  const auto devices = on_devices({Values(12, 1)});
  for (const Verdict& verdict :
       {describe_pairs(devices, form), judge_canary(devices, form),
        judge_hold_out(devices, 0.01, settings), judge_self_test(devices, form)}) {
    EXPECT_THAT(reason_of(verdict.acceptance), HasSubstr(" dB"));
    EXPECT_THAT(reason_of(verdict.acceptance), Not(HasSubstr("%")));
  }
}

}  // namespace
}  // namespace nightshift::search
