#include "evaluator/sampling/honesty_rule.h"

#include <gtest/gtest.h>

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

TEST(HonestyRule, FasterOnPoisonIsHonest) {
  HonestyRule rule(Trust::kNone, 0, 20);
  EXPECT_EQ(after(rule, HonestyRule::kPairs, 11, 10), Verdict::kHonest);
}

}  // namespace
}  // namespace nightshift::evaluator
