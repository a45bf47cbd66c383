#include "search/acceptance/no_worse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/rng.h"

namespace nightshift::search {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

AcceptanceSettings with_margin(double margin) {
  AcceptanceSettings settings;
  settings.finish_margin = margin;
  return settings;
}

// A whole round: looks until the verdict.
Verdict round_of(double gain, double pair_sd, int devices, const AcceptanceSettings& settings,
                 std::uint64_t seed) {
  const DuelPlan plan = plan_duel(devices, settings);
  base::Rng rng(seed);
  std::vector<DevicePairs> all(static_cast<std::size_t>(devices));
  for (std::size_t look = 0;; ++look) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].device = "gpu" + std::to_string(i);
      while (static_cast<int>(all[i].effects.size()) < plan.pairs[look]) {
        all[i].effects.push_back(gain + pair_sd * rng.normal());
      }
    }
    Verdict verdict = judge_no_worse(all, look, plan, settings);
    if (!std::holds_alternative<NeedMore>(verdict.acceptance)) return verdict;
  }
}

double share_accepted(double gain, double pair_sd, int devices,
                      const AcceptanceSettings& settings) {
  constexpr int kRounds = 2000;
  int accepted = 0;
  for (int i = 0; i < kRounds; ++i) {
    accepted += is_accepted(round_of(gain, pair_sd, devices, settings,
                                     base::mix_seed(11, static_cast<std::uint64_t>(i))))
                    ? 1
                    : 0;
  }
  return accepted / static_cast<double>(kRounds);
}

TEST(NoWorse, WhatIsWorseByTheMarginIsAcceptedAtTheErrorLevel) {
  const AcceptanceSettings settings = with_margin(0.003);
  for (const int devices : {1, 4}) {
    for (const double sd : {0.002, 0.01}) {
      EXPECT_LT(share_accepted(-std::log(1.003), sd, devices, settings), 0.014)
          << devices << " devices, " << sd;
    }
  }
}

TEST(NoWorse, EqualsAreAcceptedWhereNoiseAllows) {
  const AcceptanceSettings settings = with_margin(0.003);
  EXPECT_GT(share_accepted(0, 0.003, 1, settings), 0.99);
  EXPECT_GT(share_accepted(0, 0.006, 1, settings), 0.9);
  EXPECT_LT(share_accepted(0, 0.1, 1, settings), 0.05) << "no evidence, no acceptance";
}

TEST(NoWorse, FiguresAreThoseOfTheCandidateOverTheWinner) {
  const Verdict worse = round_of(-0.001, 0.0005, 1, with_margin(0.003), 3);
  EXPECT_TRUE(is_accepted(worse));
  EXPECT_NEAR(worse.ratio, 1.001, 0.0004);
  EXPECT_LT(worse.interval.low, 1.001);
  EXPECT_GT(worse.interval.high, 1.001);
  EXPECT_NEAR(worse.looks.back().effect, -0.001, 0.0004);
  EXPECT_NEAR(worse.devices.front().effect, -0.001, 0.0004);
  EXPECT_LT(worse.p_value, 0.01);
  EXPECT_THAT(reason_of(worse.acceptance), StartsWith("no more than 0.3 % worse: candidate 0.10"));
}

TEST(NoWorse, WhatIsClearlyWorseIsRejectedAtTheFirstLook) {
  const Verdict worse = round_of(-0.02, 0.003, 1, with_margin(0.003), 5);
  EXPECT_FALSE(is_accepted(worse));
  EXPECT_EQ(worse.looks.size(), 1U);
  EXPECT_THAT(reason_of(worse.acceptance), StartsWith("it may well be worse by 0.3 %: candidate"));
  EXPECT_THAT(reason_of(worse.acceptance), HasSubstr("worse than the winner after 8 pairs"));
}

TEST(NoWorse, OneDeviceThatLosesMoreThanTheMarginStandsInTheWay) {
  const AcceptanceSettings settings = with_margin(0.003);
  const DuelPlan plan = plan_duel(2, settings);
  std::vector<DevicePairs> devices(2);
  for (int i = 0; i < plan.pairs.back(); ++i) {
    const double noise = 0.0005 * (i % 2 == 0 ? 1 : -1);
    devices[0].effects.push_back(0.02 + noise);
    devices[1].effects.push_back(-0.01 + noise);
  }
  const Verdict verdict = judge_no_worse(devices, plan.pairs.size() - 1, plan, settings);
  EXPECT_FALSE(is_accepted(verdict));
}

TEST(NoWorse, PairsAreKnownBeforehand) {
  const AcceptanceSettings settings = with_margin(0.003);
  EXPECT_EQ(pairs_to_show_no_worse(0, 1, settings), 16);
  EXPECT_EQ(pairs_to_show_no_worse(0, 4, settings), 4);
  EXPECT_EQ(pairs_to_show_no_worse(0.001, 1, settings), 16);
  const int more = pairs_to_show_no_worse(0.006, 1, settings);
  EXPECT_GT(more, 32);
  EXPECT_NEAR(pairs_to_show_no_worse(0.006, 4, settings), more / 4.0, 4);
  EXPECT_EQ(pairs_to_show_no_worse(0.1, 1, settings), 0) << "no number of them does";
}

}  // namespace
}  // namespace nightshift::search
