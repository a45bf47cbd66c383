#include "search/acceptance/duel_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "search/statistics/sequential.h"
#include "tests/search/acceptance/duel_settings.h"

namespace nightshift::search {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

using Values = std::vector<double>;

AcceptanceSettings sequential() { return judged_by(DuelTest::kGroupSequential); }

MATCHER_P(IsRelativelyNear, tolerance, "") {
  const auto& [value, expected] = arg;
  return std::abs(value - expected) <= tolerance * std::abs(expected);
}

TEST(DuelPlan, LooksAtASixteenthToAllOfThePairsOverAllDevices) {
  EXPECT_THAT(plan_duel(1, sequential()).pairs, ElementsAre(8, 16, 32, 64, 128));
  EXPECT_THAT(plan_duel(2, sequential()).pairs, ElementsAre(4, 8, 16, 32, 64));
  EXPECT_THAT(plan_duel(3, sequential()).pairs, ElementsAre(3, 6, 11, 22, 43));
  EXPECT_THAT(plan_duel(4, sequential()).pairs, ElementsAre(2, 4, 8, 16, 32));
  EXPECT_THAT(plan_duel(8, sequential()).pairs, ElementsAre(2, 4, 8, 16))
      << "never fewer than two a device";
  EXPECT_THAT(plan_duel(100, sequential()).pairs, ElementsAre(2));
}

TEST(DuelPlan, SpendsTheErrorInProportionToThePairs) {
  // By recursive integration, checked with 3e7 simulated paths.
  const Values known = {0.000625, 0.000728, 0.001439, 0.002935, 0.006043};
  for (const int devices : {2, 4}) {
    EXPECT_THAT(plan_duel(devices, sequential()).levels, Pointwise(DoubleNear(5e-7), known))
        << devices;
  }
  // One device alone has a twelfth less to spend.
  const Values alone = {0.000575, 0.00066757, 0.00132022, 0.00269125, 0.00553707};
  EXPECT_THAT(plan_duel(1, sequential()).levels, Pointwise(DoubleNear(5e-9), alone));
  AcceptanceSettings loose = sequential();
  loose.level = 0.05;
  EXPECT_THAT(
      plan_duel(2, loose).levels,
      Pointwise(DoubleNear(5e-7), Values{0.003125, 0.003876, 0.007717, 0.015952, 0.033495}));
  for (const int devices : {3, 8}) {
    const DuelPlan plan = plan_duel(devices, sequential());
    Values fractions;
    for (const int pairs : plan.pairs) {
      fractions.push_back(static_cast<double>(pairs) / plan.pairs.back());
    }
    EXPECT_THAT(plan.levels, Pointwise(IsRelativelyNear(1e-9), sequential_levels(0.01, fractions)));
    EXPECT_NEAR(plan.levels.front(), 0.01 * fractions.front(), 1e-12);
  }
}

TEST(DuelPlan, FollowsTheCap) {
  AcceptanceSettings settings = sequential();
  settings.max_pairs = 32;
  EXPECT_THAT(plan_duel(1, settings).pairs, ElementsAre(2, 4, 8, 16, 32));
  EXPECT_THAT(plan_duel(4, settings).pairs, ElementsAre(2, 4, 8));
  settings.max_pairs = 8;
  EXPECT_THAT(plan_duel(1, settings).pairs, ElementsAre(2, 4, 8));
  EXPECT_NEAR(plan_duel(1, settings).levels.front(), 0.92 * 0.0025, 1e-12);
}

TEST(DuelPlan, LandslidesHaveALookBeforeTheFirst) {
  EXPECT_EQ(plan_duel(1, sequential()).early, 4);
  EXPECT_EQ(plan_duel(2, sequential()).early, 2);
  EXPECT_EQ(plan_duel(3, sequential()).early, 2);
  EXPECT_EQ(plan_duel(4, sequential()).early, 0) << "the first look is as early";
  EXPECT_NEAR(plan_duel(1, sequential()).early_level, 0.0000575, 1e-12);
  AcceptanceSettings settings = sequential();
  settings.test = DuelTest::kFixed;
  EXPECT_EQ(plan_duel(1, settings).early, 0);
  settings.test = DuelTest::kAnytime;
  EXPECT_EQ(plan_duel(1, settings).early, 0);
}

TEST(DuelPlan, AnytimeLooksAfterEveryPairAtTheFullLevel) {
  AcceptanceSettings settings = sequential();
  settings.test = DuelTest::kAnytime;
  settings.max_pairs = 20;
  const DuelPlan plan = plan_duel(4, settings);
  EXPECT_THAT(plan.pairs, ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(plan.levels, ElementsAre(0.01, 0.01, 0.01, 0.01));
}

TEST(DuelPlan, FixedIsOneLookAtAllPairs) {
  AcceptanceSettings settings = sequential();
  settings.test = DuelTest::kFixed;
  settings.max_pairs = 30;
  const DuelPlan plan = plan_duel(4, settings);
  EXPECT_EQ(plan.pairs, std::vector<int>{8});  // on each device
  EXPECT_EQ(plan.levels, std::vector<double>{settings.level});
}

// --- Clipped ---

TEST(ClippedPlan, HasFourLooksToADoublingBetweenTheSameEnds) {
  EXPECT_THAT(plan_duel(1, {}).pairs,
              ElementsAre(8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128));
  EXPECT_THAT(plan_duel(4, {}).pairs,
              ElementsAre(2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32));
  AcceptanceSettings quick;
  quick.max_pairs = 32;
  EXPECT_THAT(plan_duel(1, quick).pairs,
              ElementsAre(2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32));
  quick.max_pairs = 8;
  EXPECT_THAT(plan_duel(1, quick).pairs, ElementsAre(2, 3, 4, 5, 6, 7, 8));
}

// The spending, put back together by the paths' own recursion: each prefix of the plan has the
// levels of the plan that ends there.
TEST(ClippedPlan, SpendsAFifthInProportionAndTheRestLate) {
  for (const int devices : {1, 2, 4}) {
    const DuelPlan plan = plan_duel(devices, {});
    Values fractions, spent;
    for (const int pairs : plan.pairs) {
      const double f = static_cast<double>(pairs) / plan.pairs.back();
      fractions.push_back(f);
      spent.push_back((devices == 1 ? 0.0092 : 0.01) * (0.2 * f + 0.8 * f * f * std::sqrt(f)));
    }
    EXPECT_THAT(plan.levels,
                Pointwise(IsRelativelyNear(1e-9), sequential_levels(fractions, spent)));
    EXPECT_NEAR(spent.back(), devices == 1 ? 0.0092 : 0.01, 1e-15);
  }
  EXPECT_NEAR(plan_duel(1, {}).levels.back(), plan_duel(1, sequential()).levels.back(), 2e-4)
      << "the last look decides what is found at 5 % of noise";
}

TEST(ClippedPlan, TheEarlyLookIsThatOfASequentialPlan) {
  for (const int devices : {1, 2, 3, 4}) {
    EXPECT_EQ(plan_duel(devices, {}).early, plan_duel(devices, sequential()).early);
    EXPECT_NEAR(plan_duel(devices, {}).early_level, plan_duel(devices, sequential()).early_level,
                1e-12);
  }
}

TEST(DuelPlan, AComparisonHasNoLookBeforeEightPairs) {
  AcceptanceSettings settings = sequential();
  EXPECT_EQ(plan_comparison(1, settings).pairs, plan_duel(1, settings).pairs);
  EXPECT_EQ(plan_comparison(4, settings).pairs, plan_duel(4, settings).pairs);
  settings.max_pairs = 32;
  EXPECT_THAT(plan_comparison(1, settings).pairs, ElementsAre(8, 16, 32));
  EXPECT_THAT(plan_comparison(3, settings).pairs, ElementsAre(3, 6, 11));
  EXPECT_EQ(plan_comparison(1, settings).early, 4) << "of landslides";
  settings.max_pairs = 4;
  EXPECT_THAT(plan_comparison(1, settings).pairs, ElementsAre(4));
  settings.max_pairs = 16;
  EXPECT_EQ(plan_comparison(1, settings).pairs.front(), 8);
  EXPECT_EQ(plan_duel(1, settings).pairs.front(), 2) << "another plan of the same settings";
}

TEST(DuelPlan, IsTheSameWheneverItIsAskedFor) {
  const DuelPlan first = plan_duel(1, {});
  AcceptanceSettings other;
  for (int pairs = 8; pairs < 600; ++pairs) {
    other.max_pairs = pairs;
    EXPECT_EQ(plan_duel(1, other).pairs.back(), pairs);
  }
  EXPECT_EQ(plan_duel(1, {}).pairs, first.pairs);
  EXPECT_EQ(plan_duel(1, {}).levels, first.levels);
}

}  // namespace
}  // namespace nightshift::search
