// Duels whose pairs have their outliers limited: what clipping does to pairs, and what the test
// accepts, finds and costs, all by scripted random numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/rng.h"
#include "search/acceptance/duel.h"
#include "search/acceptance/duel_statistics.h"
#include "search/acceptance/no_worse.h"
#include "search/acceptance/ranking.h"
#include "tests/search/acceptance/duel_settings.h"

namespace nightshift::search {
namespace {

using ::testing::ElementsAre;

using Values = std::vector<double>;

std::vector<DevicePairs> on_devices(const std::vector<Values>& effects) {
  std::vector<DevicePairs> devices;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    devices.push_back({"gpu" + std::to_string(i), effects[i], {}, 0});
  }
  return devices;
}
Values clipped_of(const Values& effects) { return clipped(on_devices({effects}))[0].effects; }

// --- The pairs ---

TEST(ClippedPairs, BeyondTwoRobustDeviationsADifferenceCountsAsTheseTwo) {
  // The median of |d| is 0.02: the limit is 2 * 1.4826 * 0.02. Four of five lie within.
  const double limit = 0.059304, share = 0.8;
  const Values after = clipped_of({0.01, -0.02, 0.03, -0.9, 0.02});
  EXPECT_THAT(after, testing::Pointwise(testing::DoubleNear(1e-12),
                                        Values{0.01 / share, -0.02 / share, 0.03 / share,
                                               -limit / share, 0.02 / share}));
}

TEST(ClippedPairs, WhereNothingIsFarFromTheRestTheyAreAsTheyWere) {
  const Values near = {0.01, -0.02, 0.015, 0.012, -0.02};
  EXPECT_EQ(clipped_of(near), near);
  const Values large = {3.8, 3.9, 3.85, 3.7};  // a landslide is no outlier
  EXPECT_EQ(clipped_of(large), large);
  for (const Values& few : {Values{}, {0.3}, {0.3, -0.0001}}) EXPECT_EQ(clipped_of(few), few);
}

TEST(ClippedPairs, WithoutAScaleTheyAreAsTheyWere) {
  const Values coarse = {0, 0, 0, 0.1, 0};
  EXPECT_EQ(clipped_of(coarse), coarse);
  const Values bad = {0.01, std::numeric_limits<double>::infinity(), 0.01, -0.01, 0.01};
  EXPECT_EQ(clipped_of(bad), bad);
}

TEST(ClippedPairs, EachDeviceHasItsOwnNoise) {
  const Values quiet = {0.001, -0.002, 0.0015, 0.0012, -0.05}, loud = {0.1, -0.2, 0.15, 0.12, -0.2};
  const auto both = clipped(on_devices({quiet, loud}));
  EXPECT_EQ(both[0].effects, clipped_of(quiet));
  EXPECT_EQ(both[1].effects, loud);
}

// What the guarantee rests on: signs that a coin turns are turned in what is judged, and change
// nothing else.
TEST(ClippedPairs, KeepTheSymmetryOfTheCoin) {
  base::Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    Values effects, turned, signs;
    for (int k = 0; k < 17; ++k) {
      effects.push_back(0.02 * rng.normal() + (rng.uniform() < 0.1 ? rng.normal() : 0));
      signs.push_back(rng.coin() ? 1 : -1);
      turned.push_back(signs.back() * effects.back());
    }
    Values expected = clipped_of(effects);
    for (std::size_t k = 0; k < signs.size(); ++k) expected[k] *= signs[k];
    EXPECT_EQ(clipped_of(turned), expected);
  }
}

TEST(ClippedPairs, OnlyClippedSettingsClip) {
  const auto devices = on_devices({{0.01, -0.02, 0.03, -0.9, 0.02}});
  EXPECT_NE(as_judged(devices, judged_by(DuelTest::kClipped))[0].effects, devices[0].effects);
  for (const DuelTest test : {DuelTest::kGroupSequential, DuelTest::kAnytime, DuelTest::kFixed}) {
    EXPECT_EQ(as_judged(devices, judged_by(test))[0].effects, devices[0].effects);
  }
}

// --- Verdicts ---

// 2 % better but for every eighth evaluation of the candidate, which is e times as slow.
Values mostly_better(int pairs) {
  Values effects;
  for (int i = 0; i < pairs; ++i) {
    effects.push_back(i % 8 == 3 ? -1 : 0.02 + (i % 2 == 0 ? 0.002 : -0.002));
  }
  return effects;
}

TEST(ClippedDuel, JudgesTheTypicalDifferenceAndTheHoldOutTheMean) {
  const auto devices = on_devices({mostly_better(32)});
  const DuelPlan plan = plan_duel(1, {});
  const auto look =
      static_cast<std::size_t>(std::ranges::find(plan.pairs, 32) - plan.pairs.begin());
  const Verdict verdict = judge_duel(devices, look, plan, {});
  EXPECT_GT(verdict.looks.back().effect, 0.005);
  EXPECT_LT(verdict.looks.back().standard_error, 0.01);
  const Verdict claim = judge_hold_out(devices, 0.01, {});
  EXPECT_NEAR(claim.looks.back().effect, 0.02 * 28 / 32 - 4.0 / 32, 1e-3);
  EXPECT_FALSE(is_accepted(claim));
  EXPECT_GT(claim.ratio, 1);
}

TEST(ClippedDuel, EarlierLooksArePartOfAVerdictThatEndsIt) {
  const DuelPlan plan = plan_duel(1, {});
  Values effects;
  for (int i = 0; i < 10; ++i) effects.push_back(0.02 + (i % 2 == 0 ? 0.015 : -0.015));
  const auto at = [&](std::size_t look) {
    const auto end = effects.begin() + plan.pairs[look];
    return judge_duel(on_devices({Values(effects.begin(), end)}), look, plan, {});
  };
  ASSERT_TRUE(std::holds_alternative<NeedMore>(at(0).acceptance)) << reason_of(at(0).acceptance);
  EXPECT_EQ(std::get<NeedMore>(at(0).acceptance).pairs, 2);
  EXPECT_EQ(at(0).looks.size(), 1U);
  for (double& d : effects) d -= 0.1;
  ASSERT_TRUE(std::holds_alternative<Reject>(at(1).acceptance));
  ASSERT_EQ(at(1).looks.size(), 2U);
  EXPECT_EQ(at(1).looks[0].pairs, 8);
  EXPECT_EQ(at(1).looks[0].effect, at(0).looks[0].effect);
}

TEST(ClippedDuel, ComparisonsAreClaimsAndKeepTheirPairsAndLooks) {
  EXPECT_THAT(plan_ranking(1, {}).pairs, ElementsAre(8, 16, 32, 64, 128));
  EXPECT_EQ(plan_ranking(1, judged_by(DuelTest::kFixed)).pairs.size(), 1U);
}

// --- Error rates, power and price, exact for the seed ---

struct Tally {
  int accepted = 0;
  int pairs = 0;  // of all duels, over all devices
};

// The logarithm of an evaluation's time.
using Noise = double (*)(base::Rng& rng);
double five_percent(base::Rng& rng) { return 0.05 * rng.normal(); }
double spiky(base::Rng& rng) {
  return 0.02 * rng.normal() + (rng.uniform() < 0.05 ? -0.2 * std::log(1 - rng.uniform()) : 0);
}
double two_levels(base::Rng& rng) { return 0.01 * rng.normal() + (rng.uniform() < 0.3 ? 0.06 : 0); }
double cauchy(base::Rng& rng) { return 0.02 * std::tan(3.14159265358979 * (rng.uniform() - 0.5)); }

Tally fight(int duels, Noise noise, double gain, int on, const AcceptanceSettings& settings) {
  const DuelPlan plan = plan_duel(on, settings);
  base::Rng rng(7);
  Tally tally;
  for (int duel = 0; duel < duels; ++duel) {
    std::vector<DevicePairs> devices =
        on_devices(std::vector<Values>(static_cast<std::size_t>(on)));
    for (std::size_t look = 0;; ++look) {
      for (DevicePairs& d : devices) {
        while (static_cast<int>(d.effects.size()) < plan.pairs[look]) {
          d.effects.push_back(gain + noise(rng) - noise(rng));
        }
      }
      const Verdict verdict = judge_duel(devices, look, plan, settings);
      if (std::holds_alternative<NeedMore>(verdict.acceptance)) continue;
      tally.accepted += is_accepted(verdict) ? 1 : 0;
      tally.pairs += plan.pairs[look] * on;
      break;
    }
  }
  return tally;
}

TEST(ClippedDuelErrors, EqualCandidatesPassNoMoreOftenThanTheLevelWhateverTheNoise) {
  for (const int devices : {1, 4}) {
    for (const Noise noise : {five_percent, spiky, two_levels, cauchy}) {
      const Tally tally = fight(2000, noise, 0, devices, {});
      EXPECT_LE(tally.accepted, 27) << devices;  // 20 expected at most; two standard errors
      EXPECT_LT(tally.pairs,
                fight(2000, noise, 0, devices, judged_by(DuelTest::kGroupSequential)).pairs);
    }
  }
}

TEST(ClippedDuelErrors, RareSpikesHideNothingAndCostHalf) {
  const double gain = -std::log(0.98);
  const AcceptanceSettings before = judged_by(DuelTest::kGroupSequential);
  for (const int devices : {1, 4}) {
    const Tally now = fight(1000, spiky, gain, devices, {}),
                then = fight(1000, spiky, gain, devices, before);
    EXPECT_GT(now.accepted, 970);
    EXPECT_LT(then.accepted, 700);
    EXPECT_LT(now.pairs, 0.6 * then.pairs);
  }
}

TEST(ClippedDuelErrors, NormalNoiseLosesNoPower) {
  const double gain = -std::log(0.98);
  const AcceptanceSettings before = judged_by(DuelTest::kGroupSequential);
  for (const int devices : {1, 4}) {
    const Tally now = fight(3000, five_percent, gain, devices, {}),
                then = fight(3000, five_percent, gain, devices, before);
    EXPECT_GT(now.accepted, then.accepted - 30) << "a point";
    EXPECT_LT(now.pairs, 0.92 * then.pairs);
  }
}

TEST(ClippedDuelErrors, WhatIsWorseByTheMarginIsNoMoreOftenNoWorse) {
  AcceptanceSettings settings;
  const DuelPlan plan = plan_duel(1, settings);
  base::Rng rng(5);
  int accepted = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<DevicePairs> devices = on_devices({{}});
    for (std::size_t look = 0;; ++look) {
      while (static_cast<int>(devices[0].effects.size()) < plan.pairs[look]) {
        devices[0].effects.push_back(0.2 * (spiky(rng) - spiky(rng)) - std::log(1.003));
      }
      const Verdict verdict = judge_no_worse(devices, look, plan, settings);
      if (std::holds_alternative<NeedMore>(verdict.acceptance)) continue;
      accepted += is_accepted(verdict) ? 1 : 0;
      break;
    }
  }
  EXPECT_LE(accepted, 27);
}

}  // namespace
}  // namespace nightshift::search
