#include "search/acceptance/ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace nightshift::search {
namespace {

using ::testing::ElementsAre;

using Values = std::vector<double>;

// Rounds are measured for all, and looks taken until every pair has a verdict.
std::vector<RankedPair> judged(base::Rng& rng, const Values& costs, double noise,
                               const AcceptanceSettings& settings, int devices = 1,
                               std::size_t others = 0) {
  std::vector<std::string> names;
  for (int d = 0; d < devices; ++d) names.push_back("gpu" + std::to_string(d));
  std::vector<RankedPair> pairs = pairs_among(costs.size(), names);
  const DuelPlan plan = plan_ranking(devices, settings);
  int rounds = 0;
  for (std::size_t look = 0; look < plan.pairs.size(); ++look) {
    for (; rounds < plan.pairs[look]; ++rounds) {
      for (std::size_t d = 0; d < names.size(); ++d) {
        Values logs;
        for (const double cost : costs) logs.push_back(std::log(cost) + noise * rng.normal());
        for (RankedPair& p : pairs) {
          if (!p.verdict) p.devices[d].effects.push_back(logs[p.first] - logs[p.second]);
        }
      }
    }
    judge_pairs(pairs, look, settings, others);
  }
  return pairs;
}

std::vector<std::string> letters_of(const std::vector<Standing>& standings) {
  std::vector<std::string> all;
  for (const Standing& s : standings) {
    all.push_back(std::to_string(s.contender) + ":" + std::to_string(s.rank) + ":");
    for (const std::size_t g : s.groups) all.back() += letter_of_group(g);
  }
  return all;
}

// A verdict as if measured: `second` takes `ratio` times as long as `first`.
RankedPair decided(std::size_t first, std::size_t second, double ratio, bool apart) {
  RankedPair pair{first, second, {}, Verdict{}, {}};
  pair.verdict->ratio = ratio;
  if (apart) {
    pair.verdict->acceptance = Accept{};
  } else {
    pair.verdict->acceptance = Reject{};
  }
  return pair;
}

TEST(PairsAmong, AreAllOfThemOnce) {
  const std::vector<RankedPair> pairs = pairs_among(3, {"a", "b"});
  ASSERT_EQ(pairs.size(), 3U);
  EXPECT_EQ(pairs[1].first, 0U);
  EXPECT_EQ(pairs[1].second, 2U);
  EXPECT_EQ(pairs[2].first, 1U);
  EXPECT_EQ(pairs[2].devices[1].device, "b");
}

TEST(JudgePairs, OrdersWhatDiffersAndGroupsWhatDoesNot) {
  base::Rng rng(3);
  const auto pairs = judged(rng, {1.1, 1.0, 1.2, 1.0}, 0.01, {});
  EXPECT_THAT(letters_of(standings_of(pairs, 4, 0.005)),
              ::testing::AnyOf(ElementsAre("1:1:a", "3:1:a", "0:3:b", "2:4:c"),
                               ElementsAre("3:1:a", "1:1:a", "0:3:b", "2:4:c")));
  for (const RankedPair& p : pairs) {
    ASSERT_TRUE(p.verdict);
    EXPECT_NEAR(p.joint.confidence, 1 - 0.05 / 6, 1e-12);  // all six together
    EXPECT_LE(p.joint.low, p.verdict->ratio);
    EXPECT_GE(p.joint.high, p.verdict->ratio);
    const Interval& own = p.verdict->interval;
    EXPECT_TRUE(!is_accepted(*p.verdict) || own.high < 1 || own.low > 1);
  }
}

TEST(JudgePairs, TellsAnyTwoEqualsApartNoOftenerThanTheLevel) {
  base::Rng rng(11);
  AcceptanceSettings settings;
  settings.level = 0.05;
  settings.min_improvement = 0;
  settings.max_pairs = 32;
  int wrong = 0;
  constexpr int kRuns = 1000;
  for (int run = 0; run < kRuns; ++run) {
    const auto pairs = judged(rng, {1, 1, 1, 1}, 0.03, settings);
    wrong += std::ranges::any_of(pairs, [](const RankedPair& p) { return told_apart(p, 0); });
  }
  EXPECT_LE(wrong, 72);  // 5 % of 1000 is 50; above 72 with a chance of one in a thousand
  EXPECT_GE(wrong, 10);  // the level is used
}

// Rankings one after another, at one level for the pairs of all.
std::vector<std::vector<RankedPair>> judged_in_turn(base::Rng& rng,
                                                    const std::vector<Values>& rankings,
                                                    const AcceptanceSettings& settings) {
  std::vector<std::size_t> contenders;
  for (const Values& costs : rankings) contenders.push_back(costs.size());
  SharedLevel shared(contenders);
  std::vector<std::vector<RankedPair>> all;
  for (std::size_t i = 0; i < rankings.size(); ++i) {
    all.push_back(judged(rng, rankings[i], 0.03, settings, 1, shared.others(i)));
    shared.ended(i, all.back());
  }
  return all;
}

TEST(SharedLevel, HoldsOverAllRankingsTogether) {
  base::Rng rng(12);
  AcceptanceSettings settings;
  settings.level = 0.05;
  settings.min_improvement = 0;
  settings.max_pairs = 16;
  int wrong = 0;
  constexpr int kRuns = 400;
  // The first is told apart, so that the equal ones behind it have what it leaves.
  for (int run = 0; run < kRuns; ++run) {
    const auto all = judged_in_turn(rng, {{1, 2}, {1, 1, 1}, {1, 1}, {1, 1}}, settings);
    EXPECT_TRUE(told_apart(all[0][0], 0));
    wrong += std::any_of(all.begin() + 1, all.end(), [](const std::vector<RankedPair>& pairs) {
      return std::ranges::any_of(pairs, [](const RankedPair& p) { return told_apart(p, 0); });
    });
  }
  EXPECT_LE(wrong, 34);  // 5 % of 400 is 20; above 34 with a chance of one in a thousand
  EXPECT_GE(wrong, 5);
}

TEST(SharedLevel, WhatIsToldApartGivesItsShareToThoseThatFollow) {
  SharedLevel shared({2, 3, 1, 0});
  EXPECT_EQ(shared.others(0), 3U);
  EXPECT_EQ(shared.others(1), 1U);
  EXPECT_EQ(shared.others(2), 4U);
  shared.ended(0, std::vector<RankedPair>{decided(0, 1, 2, false)});
  EXPECT_EQ(shared.others(1), 1U);
  shared.ended(0, std::vector<RankedPair>{decided(0, 1, 2, true)});
  EXPECT_EQ(shared.others(1), 0U);
  shared.ended(1, {});  // nothing of it could be measured
  EXPECT_EQ(shared.others(0), 0U);
}

TEST(JudgePairs, SharesTheLevelWithOtherPairs) {
  AcceptanceSettings settings;
  settings.min_improvement = 0;
  settings.max_pairs = 8;
  std::vector<RankedPair> pairs = pairs_among(2, {"gpu"});
  pairs[0].devices[0].effects = {0.01, 0.03, 0.02, -0.004, 0.015, 0.025, 0.008, 0.02};
  const std::size_t last = plan_ranking(1, settings).pairs.size() - 1;
  auto alone = pairs;
  judge_pairs(alone, last, settings);
  const Look& look = alone[0].verdict->looks.back();
  settings.level *= 1.5 * look.p_value / look.level;
  alone = pairs;
  judge_pairs(alone, last, settings);
  EXPECT_TRUE(is_accepted(*alone[0].verdict));
  judge_pairs(pairs, last, settings, 1);
  EXPECT_FALSE(is_accepted(*pairs[0].verdict));
}

TEST(JudgePairs, GivesLevelBackForEachDifferenceThatIsShown) {
  // (0, 1) and (0, 2) differ plainly. Then (1, 2) has the whole level, not a third of it.
  AcceptanceSettings settings;
  settings.min_improvement = 0;
  settings.max_pairs = 8;
  std::vector<RankedPair> pairs = pairs_among(3, {"gpu"});
  const Values near{0.01, 0.03, 0.02, -0.004, 0.015, 0.025, 0.008, 0.02};
  for (const double n : near) {
    pairs[0].devices[0].effects.push_back(1 + n);
    pairs[1].devices[0].effects.push_back(1 - n);
    pairs[2].devices[0].effects.push_back(n);
  }
  const std::size_t last = plan_ranking(1, settings).pairs.size() - 1;
  auto alone = std::vector<RankedPair>{pairs[2]};
  judge_pairs(alone, last, settings);
  const Look& look = alone[0].verdict->looks.back();
  settings.level *= 1.5 * look.p_value / look.level;  // enough where it has all of it, not a third
  auto together = pairs;
  judge_pairs(together, last, settings);
  EXPECT_TRUE(is_accepted(*together[2].verdict));
  auto equal = pairs;
  for (std::size_t i = 0; i < 2; ++i) {
    equal[i].devices[0].effects = {0.01, -0.01, 0.02, -0.02, 0.01, -0.01, 0.03, -0.03};
  }
  judge_pairs(equal, last, settings);
  EXPECT_FALSE(is_accepted(*equal[2].verdict));
}

TEST(JudgePairs, LevelsOfALookRiseWithTheLevelOfTheWhole) {
  for (const int devices : {1, 4}) {
    std::vector<double> before;
    for (const int pairs : {325, 120, 45, 10, 6, 3, 2, 1}) {
      AcceptanceSettings settings;
      settings.level = 0.05 / pairs;
      const std::vector<double> levels = plan_ranking(devices, settings).levels;
      for (std::size_t i = 0; i < before.size(); ++i) EXPECT_GT(levels[i], before[i]) << pairs;
      before = levels;
    }
  }
}

TEST(JudgePairs, DevicesMustNotContradict) {
  AcceptanceSettings settings;
  std::vector<RankedPair> pairs = pairs_among(2, {"one", "two"});
  base::Rng rng(6);
  for (int i = 0; i < 64; ++i) {
    pairs[0].devices[0].effects.push_back(0.2 + 0.01 * rng.normal());
    pairs[0].devices[1].effects.push_back(-0.05 + 0.01 * rng.normal());
  }
  judge_pairs(pairs, plan_ranking(2, settings).pairs.size() - 1, settings);
  ASSERT_TRUE(pairs[0].verdict);
  EXPECT_FALSE(told_apart(pairs[0], 0));
}

TEST(Standings, ChainsHaveOverlappingGroups) {
  // 0 and 2 differ, and 1 between them differs from neither.
  const std::vector<RankedPair> pairs{decided(0, 1, 1.02, false), decided(0, 2, 1.04, true),
                                      decided(1, 2, 1.02, false)};
  EXPECT_THAT(letters_of(standings_of(pairs, 3, 0)), ElementsAre("0:1:a", "1:1:ab", "2:2:b"));
}

TEST(Standings, SmallDifferencesAreNone) {
  const std::vector<RankedPair> pairs{decided(0, 1, 0.998, true), decided(0, 2, 1.5, true),
                                      decided(1, 2, 1.503, true)};
  EXPECT_THAT(letters_of(standings_of(pairs, 3, 0.005)), ElementsAre("1:1:a", "0:1:a", "2:3:b"));
  EXPECT_THAT(letters_of(standings_of(pairs, 3, 0)), ElementsAre("1:1:a", "0:2:b", "2:3:c"));
}

TEST(Standings, GroupsBeyondTheAlphabetHaveNames) {
  EXPECT_EQ(letter_of_group(0), "a");
  EXPECT_EQ(letter_of_group(25), "z");
  EXPECT_EQ(letter_of_group(26), "a2");
}

}  // namespace
}  // namespace nightshift::search
