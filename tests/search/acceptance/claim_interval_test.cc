// That what is claimed and the interval told beside it never contradict each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "base/rng.h"
#include "search/acceptance/duel.h"
#include "tests/search/acceptance/duel_settings.h"

namespace nightshift::search {
namespace {

using ::testing::HasSubstr;

using Noise = std::function<double(base::Rng&)>;

double normal(base::Rng& rng) { return 0.02 * rng.normal(); }
// One pair in eight is far off.
double spiky(base::Rng& rng) { return (rng.below(8) == 0 ? 0.3 : 0.01) * rng.normal(); }
// A clock whose tick is a fifth of what it measures.
double coarse(base::Rng& rng) {
  const auto ticks = [&] { return 4.0 + static_cast<double>(rng.below(3)); };
  return std::log(ticks() / ticks());
}
const Noise kNoises[] = {normal, spiky, coarse};
constexpr double kLevels[] = {0.05, 0.01, 0.001};

std::vector<DevicePairs> drawn(base::Rng& rng, const Noise& noise, double effect, int devices,
                               int pairs) {
  std::vector<DevicePairs> all;
  for (int d = 0; d < devices; ++d) {
    all.push_back({"gpu" + std::to_string(d), {}, {}, 0});
    for (int i = 0; i < pairs; ++i) all.back().effects.push_back(effect + noise(rng));
  }
  return all;
}

bool shows_gain(const Verdict& verdict) { return verdict.interval.high < 1; }

// Calls `each` with pairs of every kind of noise, of equals and of what differs.
void for_each_case(int devices,
                   const std::function<void(const std::vector<DevicePairs>&, double)>& each) {
  base::Rng rng(11);
  for (int run = 0; run < 120; ++run) {
    for (const Noise& noise : kNoises) {
      for (const double level : kLevels) {
        for (const int pairs : {4, 7, 16}) {
          const double effect = run % 3 == 0 ? 0 : 0.04 * rng.uniform();
          each(drawn(rng, noise, effect, devices, pairs), level);
        }
      }
    }
  }
}

TEST(ClaimInterval, OfAHoldOutLeavesOutNoGainExactlyWhereOneIsClaimed) {
  AcceptanceSettings settings;
  settings.min_improvement = 0;
  int claims = 0, cases = 0;
  for_each_case(1, [&](const std::vector<DevicePairs>& pairs, double level) {
    for (const auto judge : {judge_hold_out, judge_short_hold_out}) {
      const Verdict verdict = judge(pairs, level, settings);
      EXPECT_EQ(is_accepted(verdict), shows_gain(verdict))
          << reason_of(verdict.acceptance) << ", up to " << verdict.interval.high;
      EXPECT_DOUBLE_EQ(verdict.interval.confidence, 1 - 2 * level);
      EXPECT_LE(verdict.interval.low, verdict.ratio);
      EXPECT_GE(verdict.interval.high, verdict.ratio);
      claims += is_accepted(verdict) ? 1 : 0;
      ++cases;
    }
  });
  EXPECT_GT(claims, cases / 20);
  EXPECT_LT(claims, cases / 2);
}

TEST(ClaimInterval, IsOfTheTestWhateverTheConsensus) {
  for (const Consensus consensus :
       {Consensus::kConsistent, Consensus::kStrict, Consensus::kMajority, Consensus::kFleet}) {
    AcceptanceSettings settings;
    settings.min_improvement = 0;
    settings.consensus = consensus;
    for_each_case(3, [&](const std::vector<DevicePairs>& pairs, double level) {
      const Verdict verdict = judge_hold_out(pairs, level, settings);
      EXPECT_EQ(verdict.p_value <= level, shows_gain(verdict)) << reason_of(verdict.acceptance);
      EXPECT_TRUE(!is_accepted(verdict) || shows_gain(verdict));
    });
  }
}

TEST(ClaimInterval, OfADuelIsThatOfTheLookThatEndedIt) {
  for (const DuelTest test : {DuelTest::kClipped, DuelTest::kGroupSequential, DuelTest::kFixed}) {
    AcceptanceSettings settings = judged_by(test);
    settings.min_improvement = 0;
    settings.max_pairs = 16;
    const DuelPlan plan = plan_duel(1, settings);
    for_each_case(1, [&](const std::vector<DevicePairs>& pairs, double) {
      if (pairs[0].effects.size() != 16) return;
      const Verdict verdict = judge_duel(pairs, plan.pairs.size() - 1, plan, settings);
      EXPECT_EQ(is_accepted(verdict), shows_gain(verdict)) << reason_of(verdict.acceptance);
      EXPECT_DOUBLE_EQ(verdict.interval.confidence, 1 - 2 * plan.levels.back());
    });
  }
}

TEST(ClaimInterval, OfAComparisonLeavesOutNoDifferenceExactlyWhereOneIsShown) {
  AcceptanceSettings settings;
  settings.min_improvement = 0;
  for_each_case(1, [&](const std::vector<DevicePairs>& pairs, double level) {
    const DuelPlan last{{static_cast<int>(pairs[0].effects.size())}, {level / 2}};
    for (const double sign : {1.0, -1.0}) {
      std::vector<DevicePairs> turned = pairs;
      for (double& effect : turned[0].effects) effect *= sign;
      const Verdict verdict = judge_comparison(turned, 0, last, settings);
      const bool holds_none = verdict.interval.low <= 1 && verdict.interval.high >= 1;
      EXPECT_EQ(is_accepted(verdict), !holds_none) << reason_of(verdict.acceptance);
      EXPECT_NEAR(verdict.interval.confidence, 1 - level, 1e-12);
    }
  });
}

TEST(ClaimInterval, HoldsTheTrueRatioAsOftenAsItsConfidenceSays) {
  base::Rng rng(12);
  AcceptanceSettings settings;
  constexpr int kRuns = 4000;
  for (const double level : {0.05, 0.01}) {
    int below = 0, above = 0;
    for (int run = 0; run < kRuns; ++run) {
      const Verdict verdict = judge_hold_out(drawn(rng, normal, 0.03, 2, 12), level, settings);
      below += verdict.interval.high < std::exp(-0.03) ? 1 : 0;
      above += verdict.interval.low > std::exp(-0.03) ? 1 : 0;
    }
    // Five standard deviations of a binomial.
    const double reach = 5 * std::sqrt(kRuns * level * (1 - level));
    EXPECT_NEAR(below, kRuns * level, reach);
    EXPECT_NEAR(above, kRuns * level, reach);
  }
}

// Two standard deviations of a t distribution: shown at 5 %, one-sided, and not at 2.5 %.
TEST(ClaimInterval, OfAQuickClaimIsNotTheOneAtNinetyFivePerCent) {
  const std::vector<DevicePairs> pairs = {
      {"gpu0", {0.012, 0.031, -0.004, 0.029, -0.007, 0.033, 0.002, 0.028}, {}, 0}};
  AcceptanceSettings settings;
  settings.min_improvement = 0;
  const Verdict quick = judge_hold_out(pairs, 0.05, settings);
  ASSERT_TRUE(is_accepted(quick)) << reason_of(quick.acceptance);
  EXPECT_LT(quick.interval.high, 1);
  EXPECT_DOUBLE_EQ(quick.interval.confidence, 0.9);
  const Verdict strict = judge_hold_out(pairs, 0.001, settings);
  EXPECT_FALSE(is_accepted(strict));
  EXPECT_GT(strict.interval.high, 1);
}

TEST(ClaimInterval, TheReasonOfAClaimByFewPairsHasThePValueThatDecided) {
  const std::vector<DevicePairs> pairs = {
      {"gpu0", {0.112, 0.113, 0.111, 0.112, 0.1125, 0.1115, 0.1121, 0.1119}, {}, 0}};
  const Verdict verdict = judge_short_hold_out(pairs, 0.01, AcceptanceSettings{});
  ASSERT_TRUE(is_accepted(verdict)) << reason_of(verdict.acceptance);
  EXPECT_NEAR(verdict.p_value, std::pow(2.0, -8), 1e-12) << "signed ranks of eight pairs";
  EXPECT_THAT(reason_of(verdict.acceptance), HasSubstr("p = 0.0039"));
}

TEST(ClaimInterval, HasNoEndThatSoFewPairsCannotShow) {
  const std::vector<DevicePairs> pairs = {{"gpu0", {0.012, 0.013, 0.011, 0.012}, {}, 0}};
  AcceptanceSettings settings;
  settings.min_improvement = 0;
  const Verdict verdict = judge_short_hold_out(pairs, 0.01, settings);
  EXPECT_THAT(reason_of(verdict.acceptance), HasSubstr("too few to claim by"));
  EXPECT_EQ(verdict.interval.low, 0);
  EXPECT_TRUE(std::isinf(verdict.interval.high));
}

}  // namespace
}  // namespace nightshift::search
