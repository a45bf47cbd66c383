#include "evaluator/sampling/honesty_rule.h"

#include <gtest/gtest.h>

#include "evaluator/sampling/stalled_calls.h"

namespace nightshift::evaluator {
namespace {

using Verdict = HonestyRule::Verdict;
using search::Trust;

Verdict after(HonestyRule& rule, int pairs, double usual, double blind) {
  Verdict verdict = Verdict::kGoOn;
  for (int i = 0; i < pairs && verdict == Verdict::kGoOn; ++i) verdict = rule.add(usual, blind);
  return verdict;
}

TEST(HonestyRule, OnePairIsEnoughWhereBothAreAlike) {
  HonestyRule rule(Trust::kUsual, 0, 20);
  EXPECT_EQ(rule.add(10, 10.4), Verdict::kHonest);
}

TEST(HonestyRule, WhereNobodyIsTrustedAllPairsAreLookedAt) {
  HonestyRule rule(Trust::kNone, 0, 20);
  EXPECT_EQ(after(rule, HonestyRule::kPairs - 1, 10, 10), Verdict::kGoOn);
  EXPECT_EQ(rule.add(10, 10), Verdict::kHonest);
}

TEST(HonestyRule, LongerEachTimeIsDishonest) {
  HonestyRule rule(Trust::kUsual, 0, 20);
  EXPECT_EQ(after(rule, HonestyRule::kMostPairs - 1, 10, 11), Verdict::kGoOn);
  EXPECT_EQ(rule.add(10, 11), Verdict::kBlindLonger);
  EXPECT_EQ(rule.usual(), 10);
  EXPECT_EQ(rule.blind(), 11);
}

TEST(HonestyRule, AnOutlierIsMeasuredAgain) {
  HonestyRule rule(Trust::kUsual, 0, 20);
  EXPECT_EQ(rule.add(10, 30), Verdict::kGoOn);
  EXPECT_EQ(rule.add(10, 10), Verdict::kGoOn);
  EXPECT_EQ(rule.add(10, 10), Verdict::kHonest);
}

TEST(HonestyRule, NoiseThatPointsBothWaysIsHonest) {
  HonestyRule rule(Trust::kNone, 0, 20);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(rule.add(10, 13), Verdict::kGoOn);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(rule.add(13, 10), Verdict::kGoOn);
  EXPECT_EQ(rule.add(13, 10), Verdict::kHonest);
}

TEST(HonestyRule, WhatPointsTheOtherWayMoreThanThreeTimesIsHonest) {
  for (const int others : {3, 4}) {
    HonestyRule rule(Trust::kNone, 0, 20);
    EXPECT_EQ(after(rule, others, 11, 10), Verdict::kGoOn);
    EXPECT_EQ(after(rule, HonestyRule::kMostPairs - 1 - others, 10, 11), Verdict::kGoOn);
    EXPECT_EQ(rule.add(10, 11), others == 3 ? Verdict::kBlindLonger : Verdict::kHonest);
  }
}

TEST(HonestyRule, ADifferenceOfOneTickIsNone) {
  HonestyRule rule(Trust::kUsual, 1, 20);
  EXPECT_EQ(rule.add(10, 11.4), Verdict::kHonest);
}

TEST(HonestyRule, LongerThanSamplesIsMeasuredAgainAndThenBelieved) {
  HonestyRule rule(Trust::kUsual, 0, 8);
  EXPECT_EQ(after(rule, HonestyRule::kMostPairs - 1, 10, 10), Verdict::kGoOn);
  EXPECT_EQ(rule.add(10, 10), Verdict::kAllLonger);
  HonestyRule other(Trust::kUsual, 0, 8);
  EXPECT_EQ(other.add(20, 7), Verdict::kGoOn);
  EXPECT_EQ(after(other, 2, 7, 7), Verdict::kHonest);
}

// By chance, or by a clock, some of the usual passes are honest as well: no way is pointed clearly.
TEST(HonestyRule, WhoRestsInSomeOfTheUsualPassesIsLongerThanItsSamples) {
  HonestyRule rule(Trust::kNone, 0, 8);
  auto verdict = Verdict::kGoOn;
  for (int i = 0; i < HonestyRule::kMostPairs; ++i) {
    ASSERT_EQ(verdict, Verdict::kGoOn);
    verdict = rule.add(i % 3 == 0 ? 100 : 1, 100);
  }
  EXPECT_EQ(verdict, Verdict::kAllLonger);
  EXPECT_FALSE(rule.usual_is_longer());
  EXPECT_EQ(rule.longer(), 100);
}

TEST(HonestyRule, WithoutTimeForMorePairsOnlyWhatIsPlainCounts) {
  const auto at_the_end = [](int pairs, double usual, double blind, double other) {
    HonestyRule rule(Trust::kUsual, 0, 20);
    rule.add(usual, other);
    for (int i = 1; i < pairs; ++i) rule.add(usual, blind);
    return rule.at_the_end();
  };
  EXPECT_EQ(at_the_end(3, 10, 21, 21), Verdict::kBlindLonger);
  EXPECT_EQ(at_the_end(2, 10, 21, 21), Verdict::kHonest) << "too few";
  EXPECT_EQ(at_the_end(3, 10, 19, 19), Verdict::kHonest) << "not plain";
  EXPECT_EQ(at_the_end(9, 10, 21, 19), Verdict::kHonest) << "one is not plain";
  EXPECT_EQ(at_the_end(3, 41, 41, 41), Verdict::kAllLonger);
  EXPECT_EQ(at_the_end(3, 39, 39, 39), Verdict::kHonest);
  HonestyRule at_times(Trust::kUsual, 0, 20);
  for (const double usual : {10, 100, 10}) at_times.add(usual, 100);
  EXPECT_EQ(at_times.at_the_end(), Verdict::kAllLonger);
}

TEST(HonestyRule, FasterOnPoisonIsHonest) {
  HonestyRule rule(Trust::kNone, 0, 20);
  EXPECT_EQ(after(rule, HonestyRule::kPairs, 11, 10), Verdict::kHonest);
}

// Pairs of a second each.
class JudgePairs : public ::testing::Test {
 protected:
  JudgedPairs judged(double most, double blind, int none_from = 1000) {
    return judged_within({most, [this] { return pairs_; }}, blind, none_from);
  }
  JudgedPairs judged_within(const TimeForPairs& time, double blind, int none_from = 1000) {
    HonestyRule rule(trust_, 0, 20);
    return judge_pairs(rule, time, [&]() -> std::optional<PairTimes> {
      if (++pairs_ >= none_from) return std::nullopt;
      stalls_.add(10);
      stalls_.add(blind);
      return PairTimes{10, blind};
    });
  }
  // Calls are expected to take 12 s, and may take so many seconds longer in all.
  JudgedPairs judged_with_stalls(double most, double blind) {
    pairs_ = 0;
    stalls_ = StalledCalls(12, most);
    return judged_within({0, {}, [this] { return stalls_.are_too_long(); }}, blind);
  }
  double pairs_ = 0;
  Trust trust_ = Trust::kUsual;
  StalledCalls stalls_{12, 0};
};

TEST_F(JudgePairs, WhoStallsInEachOfThemHasThreeAndWhatIsPlainCounts) {
  for (const auto trust : {Trust::kUsual, Trust::kNone}) {
    trust_ = trust;
    EXPECT_EQ(judged_with_stalls(5, 112).verdict, Verdict::kBlindLonger);
    EXPECT_EQ(pairs_, HonestyRule::kFewestAtEnd);
    const JudgedPairs unclear = judged_with_stalls(5, 13);
    EXPECT_EQ(unclear.verdict, Verdict::kHonest);
    EXPECT_TRUE(unclear.is_cut_short);
    EXPECT_EQ(pairs_, 6) << "a second a pair";
  }
}

TEST_F(JudgePairs, WhatTakesAsLongAsItIsExpectedToHasAllPairs) {
  const JudgedPairs found = judged_with_stalls(5, 11.5);
  EXPECT_EQ(found.verdict, Verdict::kBlindLonger);
  EXPECT_EQ(pairs_, HonestyRule::kMostPairs);
  EXPECT_EQ(judged_with_stalls(0, 112).verdict, Verdict::kBlindLonger);
  EXPECT_EQ(pairs_, HonestyRule::kMostPairs) << "without a limit";
}

// More work than samples let expect, and the same on both sides.
TEST_F(JudgePairs, WhereBothSidesAreAlikeNothingIsCutShort) {
  trust_ = Trust::kNone;
  stalls_ = StalledCalls(1, 5);
  HonestyRule rule(trust_, 0, 1000);
  TimeForPairs time;
  time.is_over = [this] { return stalls_.are_too_long(); };
  const JudgedPairs found = judge_pairs(rule, time, [&]() -> std::optional<PairTimes> {
    stalls_.add(100);
    ++pairs_;
    return PairTimes{100, 100};
  });
  EXPECT_EQ(found.verdict, Verdict::kHonest);
  EXPECT_FALSE(found.is_cut_short);
  EXPECT_EQ(pairs_, HonestyRule::kFewestAtEnd);
}

TEST_F(JudgePairs, WithoutALimitTheRuleSaysWhenItEnds) {
  const JudgedPairs found = judged(0, 11);
  EXPECT_EQ(found.verdict, Verdict::kBlindLonger);
  EXPECT_FALSE(found.is_cut_short);
  EXPECT_EQ(pairs_, HonestyRule::kMostPairs);
}

TEST_F(JudgePairs, WhereTimeIsOverOnlyWhatIsPlainCounts) {
  EXPECT_EQ(judged(5, 30).verdict, Verdict::kBlindLonger);
  EXPECT_EQ(pairs_, 6);
  pairs_ = 0;
  const JudgedPairs unclear = judged(5, 12);
  EXPECT_EQ(unclear.verdict, Verdict::kHonest);
  EXPECT_TRUE(unclear.is_cut_short);
}

TEST_F(JudgePairs, TooFewPairsHaveThreeTimesAsLong) {
  EXPECT_EQ(judged(0.9, 30).verdict, Verdict::kBlindLonger);
  EXPECT_EQ(pairs_, HonestyRule::kFewestAtEnd);
}

TEST_F(JudgePairs, APairThatIsNoneEndsIt) {
  const JudgedPairs found = judged(0, 30, 3);
  EXPECT_EQ(found.verdict, Verdict::kHonest);
  EXPECT_FALSE(found.is_cut_short);
}

}  // namespace
}  // namespace nightshift::evaluator
