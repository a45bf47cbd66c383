#include "search/acceptance/toolchains.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace nightshift::search {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

RankedPair pair(std::size_t first, std::size_t second, double ratio, bool accepted,
                double half_width = 0.002) {
  RankedPair p;
  p.first = first;
  p.second = second;
  p.verdict.emplace();
  p.verdict->ratio = ratio;
  p.joint = {ratio * (1 - half_width), ratio * (1 + half_width)};
  if (accepted) {
    p.verdict->acceptance = Accept{"shown"};
  } else {
    p.verdict->acceptance = Reject{"not shown"};
  }
  return p;
}

ToolchainBuild built(std::size_t winner, std::size_t baseline) {
  return {true, "", winner, baseline};
}

// Winner and baseline of two toolchains: codes 0, 1 and 2, 3. `speed` is new winner over old one.
ToolchainFacts two(double speed, bool shown, double gain_now = 0.5) {
  ToolchainFacts facts;
  for (const char* hash : {"w0", "b0", "w1", "b1"}) code_of(facts, hash);
  facts.builds = {built(0, 1), built(2, 3)};
  facts.pairs = {pair(0, 1, 2, true), pair(0, 2, speed, shown), pair(2, 3, 1 / gain_now, true)};
  return facts;
}

TEST(Toolchains, EachCodeIsThereOnce) {
  ToolchainFacts facts;
  EXPECT_EQ(code_of(facts, "a"), 0U);
  EXPECT_EQ(code_of(facts, "b"), 1U);
  EXPECT_EQ(code_of(facts, "a"), 0U);
  EXPECT_THAT(facts.codes, ElementsAre("a", "b"));
}

TEST(Toolchains, EqualCodeOfBothIsNoQuestion) {
  ToolchainFacts facts;
  facts.codes = {"w", "b"};
  facts.builds = {built(0, 1), built(0, 1)};
  EXPECT_FALSE(has_question(facts));
  EXPECT_EQ(verdict_of(facts, 0), ToolchainVerdict::kEqualCode);
  EXPECT_EQ(verdict_of(facts, 1), ToolchainVerdict::kEqualCode);
  EXPECT_THAT(best_toolchains(facts), ElementsAre(0, 1));
  facts.builds[1].baseline = code_of(facts, "b1");
  EXPECT_TRUE(has_question(facts));
  facts.builds[1].baseline = 1;
  facts.kept = code_of(facts, "old");
  EXPECT_TRUE(has_question(facts));
}

TEST(Toolchains, SpeedIsThatOverTheFirst) {
  EXPECT_EQ(verdict_of(two(0.9, true), 1), ToolchainVerdict::kFaster);
  EXPECT_EQ(verdict_of(two(1.1, true), 1), ToolchainVerdict::kSlower);
  EXPECT_EQ(verdict_of(two(1.001, false), 1), ToolchainVerdict::kSameSpeed);
  EXPECT_EQ(verdict_of(two(1.005, true), 1), ToolchainVerdict::kSameSpeed);  // below the margin
  ToolchainFacts noisy = two(1.0, false);
  noisy.pairs[1].joint = {0.95, 1.05};
  EXPECT_EQ(verdict_of(noisy, 1), ToolchainVerdict::kUndecided);
  EXPECT_EQ(verdict_of(noisy, 0), ToolchainVerdict::kEqualCode);
  const ToolchainFacts slower = two(1.1, true);
  EXPECT_THAT(best_toolchains(slower), ElementsAre(0));
  EXPECT_DOUBLE_EQ(ratio_of(slower, 2, 0)->ratio, 1.1);
  EXPECT_DOUBLE_EQ(ratio_of(slower, 0, 2)->ratio, 1 / 1.1);
  EXPECT_FALSE(ratio_of(slower, 1, 3));
}

// What is better or worse is told by the test that shows it, what is equal by the one that shows that.
TEST(Toolchains, AnIntervalIsThatOfTheTestThatDecides) {
  ToolchainFacts facts = two(1.1, true);
  for (RankedPair& p : facts.pairs) {
    p.joint.confidence = 0.95;
    p.verdict->interval = {p.verdict->ratio * 0.9, p.verdict->ratio * 1.25, 0.99};
  }
  const auto expect_interval = [&](std::size_t code, std::size_t other, Interval expected) {
    const Interval told = ratio_of(facts, code, other)->interval;
    EXPECT_DOUBLE_EQ(told.low, expected.low);
    EXPECT_DOUBLE_EQ(told.high, expected.high);
    EXPECT_EQ(told.confidence, expected.confidence);
  };
  expect_interval(2, 0, {1.1 * 0.9, 1.1 * 1.25, 0.99});
  expect_interval(0, 2, {1 / (1.1 * 1.25), 1 / (1.1 * 0.9), 0.99});
  facts.pairs[1].verdict->acceptance = Reject{"not shown"};
  expect_interval(2, 0, {1.1 * 0.9, 1.1 * 1.25, 0.99});  // nothing is shown of the two
  facts.pairs[1].verdict->ratio = 1;
  facts.pairs[1].joint = {0.999, 1.001, 0.95};
  EXPECT_EQ(relation(facts, 2, 0), CodeRelation::kSame);
  expect_interval(2, 0, {0.999, 1.001, 0.95});
}

TEST(Toolchains, AGainThatIsGoneIsLostHoweverFast) {
  EXPECT_EQ(verdict_of(two(0.5, true, 1.2), 1), ToolchainVerdict::kLost);
  ToolchainFacts equal = two(0.9, true);
  equal.pairs[2] = pair(2, 3, 1.0, false);
  EXPECT_EQ(verdict_of(equal, 1), ToolchainVerdict::kLost);
  equal.pairs[2].joint = {0.9, 1.1};
  EXPECT_EQ(verdict_of(equal, 1), ToolchainVerdict::kUndecided);
}

TEST(Toolchains, WhatIsBrokenIsNotComparedWith) {
  ToolchainFacts facts = two(1.1, true);
  facts.builds[0].broken = "does not build";
  EXPECT_EQ(verdict_of(facts, 0), ToolchainVerdict::kBroken);
  EXPECT_EQ(first_toolchain(facts), 1U);
  EXPECT_EQ(verdict_of(facts, 1), ToolchainVerdict::kEqualCode);  // it is the first now
  facts.builds[1].concerned = false;
  EXPECT_EQ(verdict_of(facts, 1), ToolchainVerdict::kNotConcerned);
  EXPECT_FALSE(first_toolchain(facts));
  EXPECT_FALSE(has_question(facts));
  EXPECT_THAT(best_toolchains(facts), IsEmpty());
}

TEST(Toolchains, WhatWasNotMeasuredIsNotDecided) {
  ToolchainFacts facts = two(0.9, true);
  facts.reached = false;
  facts.pairs.clear();
  EXPECT_EQ(verdict_of(facts, 0), ToolchainVerdict::kEqualCode);
  EXPECT_EQ(verdict_of(facts, 1), ToolchainVerdict::kNotReached);
  facts.builds[1] = {};  // stopped before it was built
  EXPECT_EQ(verdict_of(facts, 1), ToolchainVerdict::kNotReached);
  facts.builds[0] = {};
  EXPECT_EQ(verdict_of(facts, 0), ToolchainVerdict::kNotReached);
  facts = two(0.9, true);
  facts.undecided = "every round was disturbed";
  EXPECT_EQ(verdict_of(facts, 1), ToolchainVerdict::kUndecided);
}

TEST(Toolchains, KeptCodeIsBestWhereItBeatsAll) {
  ToolchainFacts facts = two(1.0, false);
  EXPECT_FALSE(kept_is_best(facts));
  facts.kept = code_of(facts, "old");
  facts.pairs.push_back(pair(0, 4, 0.8, true));
  EXPECT_FALSE(kept_is_best(facts));
  facts.pairs.push_back(pair(2, 4, 0.8, true));
  EXPECT_TRUE(kept_is_best(facts));
}

TEST(Toolchains, KeptCodeStandsInWhereItBeatsTheBaseline) {
  EXPECT_TRUE(wants_repair(ToolchainVerdict::kBroken));
  EXPECT_TRUE(wants_repair(ToolchainVerdict::kSlower));
  EXPECT_FALSE(wants_repair(ToolchainVerdict::kUndecided));
  ToolchainFacts facts = two(1.2, true);
  EXPECT_EQ(kept_instead(facts, 1), KeptCode::kNo);  // nothing was kept
  facts.kept = code_of(facts, "old");
  EXPECT_EQ(kept_instead(facts, 1), KeptCode::kNo);  // not measured beside that baseline
  facts.pairs.push_back(pair(3, 4, 0.6, true));      // of the second compiler
  EXPECT_EQ(kept_instead(facts, 1), KeptCode::kWins);
  EXPECT_DOUBLE_EQ(kept_gain(facts, 1)->ratio, 0.6);
  // Where nothing of the second compiler works it is that of the first.
  facts.builds[1] = {true, "does not build"};
  EXPECT_EQ(kept_instead(facts, 1), KeptCode::kNo);
  facts.pairs.push_back(pair(1, 4, 1.3, true));
  EXPECT_EQ(kept_instead(facts, 1), KeptCode::kNo);  // worse than that
  facts.pairs.back() = pair(1, 4, 0.7, true);
  EXPECT_EQ(kept_instead(facts, 1), KeptCode::kWins);
}

TEST(Toolchains, KeptCodeOfTheFirstStandsInUnmeasured) {
  ToolchainFacts facts;
  facts.codes = {"w", "b"};
  facts.builds = {built(0, 1), {true, "does not build"}};
  facts.kept = 0;
  EXPECT_EQ(kept_instead(facts, 1), KeptCode::kIsFirst);
  EXPECT_FALSE(kept_gain(facts, 1));
}

TEST(Toolchains, OneWinnerThatIsWorseForbidsTheUpgrade) {
  std::vector<ToolchainFacts> winners = {two(0.9, true), two(1.001, false)};
  EXPECT_EQ(may_upgrade(winners, 1), Upgrade::kYes);
  winners.push_back(two(0.9, true));
  winners.back().reached = false;
  EXPECT_EQ(may_upgrade(winners, 1), Upgrade::kUndecided);
  winners.push_back(two(1.1, true));
  EXPECT_EQ(may_upgrade(winners, 1), Upgrade::kNo);
  for (ToolchainFacts& facts : winners) facts.builds[1].concerned = false;
  EXPECT_EQ(may_upgrade(winners, 1), Upgrade::kNoWinner);
}

}  // namespace
}  // namespace nightshift::search
