#include "search/acceptance/prospect.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace nightshift::search {
namespace {

AcceptanceSettings sequential() {
  AcceptanceSettings settings;
  settings.test = DuelTest::kGroupSequential;
  return settings;
}

// `pairs` differences of mean `gain` exactly, one half of them `sd` above and one half below.
std::vector<DevicePairs> duel(int pairs, double gain, double sd) {
  std::vector<double> effects;
  for (int i = 0; i < pairs; ++i) effects.push_back(gain + (i % 2 == 0 ? sd : -sd));
  return {{"d", effects, {}, 0}};
}

TEST(Prospect, JoinsWhatWasPromisedAndWhatThePairsShowByTheirPrecision) {
  const Prospect before{0.10, 0.05};
  const auto pairs = duel(16, 0, 0.2);
  const double error = 0.2 * std::sqrt(16.0 / 15) / 4;
  const Prospect after = with_pairs(before, pairs, sequential());
  const double prior = 1 / (0.05 * 0.05), data = 1 / (error * error);
  EXPECT_NEAR(after.gain, 0.10 * prior / (prior + data), 1e-12);
  EXPECT_NEAR(after.sd, 1 / std::sqrt(prior + data), 1e-12);
}

TEST(Prospect, OnePairSaysNothingAndWithoutAnErrorThePairsCountAlone) {
  EXPECT_EQ(with_pairs({0.1, 0.05}, duel(1, 0, 0.2), sequential()).gain, 0.1);
  EXPECT_DOUBLE_EQ(with_pairs({0.1, 0}, duel(8, 0.02, 0.2), sequential()).gain, 0.02);
  EXPECT_DOUBLE_EQ(with_pairs({}, duel(8, 0.02, 0.2), sequential()).gain, 0.02);
}

TEST(Prospect, TheChanceOfADuelOfEqualsFallsWithItsPairs) {
  const AcceptanceSettings settings = sequential();
  const DuelPlan plan = plan_duel(1, settings);  // looks after 8, 16, 32, 64 and 128
  const auto chance = [&](int pairs, std::size_t look, double gain) {
    const auto d = duel(pairs, gain, 0.17);
    return chance_to_accept(with_pairs({0.1, 0.1}, d, sequential()), d, look, 128, plan, settings);
  };
  EXPECT_GT(chance(8, 1, 0), 0.4);
  EXPECT_LT(chance(64, 4, 0), 0.02);
  EXPECT_GT(chance(64, 4, 0.05), 0.7) << "one that has the gain goes on";
  EXPECT_GT(chance(8, 1, 0), chance(16, 2, 0));
  EXPECT_GT(chance(16, 2, 0), chance(32, 3, 0));
}

TEST(Prospect, PairsThatThereIsNoTimeForAreNoChance) {
  const AcceptanceSettings settings = sequential();
  const DuelPlan plan = plan_duel(1, settings);
  const auto d = duel(8, 0.05, 0.17);
  const Prospect now = with_pairs({0.05, 0.03}, d, sequential());
  const auto until = [&](int most) { return chance_to_accept(now, d, 1, most, plan, settings); };
  EXPECT_EQ(until(15), 0);
  EXPECT_GT(until(16), 0);
  EXPECT_LT(until(16), until(64));
  EXPECT_LE(until(64), until(128));
}

// The chance is one that comes true: of duels whose true gain is drawn from what is believed, as
// many are accepted as were foretold.
TEST(Prospect, TheChanceIsThatOfASimulationOfTheLastLook) {
  AcceptanceSettings settings = sequential();
  settings.min_improvement = 0;
  const DuelPlan plan{{32, 64}, {0.0, 0.01}};
  const double sd = 0.1;
  const auto d = duel(32, 0.02, sd);
  const Prospect now = with_pairs({0.03, 0.02}, d, sequential());
  const double foretold = chance_to_accept(now, d, 1, 64, plan, settings);
  base::Rng rng(3);
  int accepted = 0;
  constexpr int kRuns = 20000;
  for (int run = 0; run < kRuns; ++run) {
    auto all = d;
    const double gain = now.gain + now.sd * rng.normal();
    for (int i = 0; i < 32; ++i) all[0].effects.push_back(gain + sd * rng.normal());
    accepted += std::holds_alternative<Accept>(judge_duel(all, 1, plan, settings).acceptance);
  }
  EXPECT_NEAR(static_cast<double>(accepted) / kRuns, foretold, 0.02);
}

TEST(Prospect, PairsThatShowAGainAreThoseOfTheFirstLookWithThePower) {
  const AcceptanceSettings settings = sequential();
  const DuelPlan plan = plan_duel(1, settings);
  EXPECT_EQ(pairs_to_show(0.7, 0.17, 1, plan, settings), 8);
  EXPECT_EQ(pairs_to_show(0.02, 0.042, 1, plan, settings), 64);
  EXPECT_EQ(pairs_to_show(0.02, 0.17, 1, plan, settings), 128) << "not even these show it";
  EXPECT_EQ(pairs_to_show(-0.1, 0.01, 1, plan, settings), 128);
  EXPECT_EQ(pairs_to_show(0.02, 0, 1, plan, settings), 8);
  EXPECT_EQ(pairs_to_show(0.02, 0.042, 4, plan_duel(4, settings), settings), 16);
  EXPECT_EQ(pairs_to_show(3.85, 0.05, 1, plan, settings), 4) << "a landslide";
  EXPECT_EQ(pairs_to_show(3.85, 0.05, 2, plan_duel(2, settings), settings), 2);
  EXPECT_EQ(pairs_to_show(0.75, 0.1, 1, plan, settings), 8) << "some pairs would show none";
}

TEST(Prospect, WhoGivesADuelUpRejectsWithTheFiguresSoFar) {
  const AcceptanceSettings settings = sequential();
  const DuelPlan plan = plan_duel(1, settings);
  const Verdict verdict = give_up_duel(duel(12, -0.01, 0.1), 1, plan, "no time", settings);
  ASSERT_TRUE(std::holds_alternative<Reject>(verdict.acceptance));
  EXPECT_EQ(reason_of(verdict.acceptance),
            "candidate 1.01 % worse than the incumbent after 12 pairs: no time");
  EXPECT_NEAR(verdict.ratio, std::exp(0.01), 1e-12);
  ASSERT_EQ(verdict.looks.size(), 1U);
  EXPECT_EQ(verdict.looks[0].pairs, 8);
}

}  // namespace
}  // namespace nightshift::search
