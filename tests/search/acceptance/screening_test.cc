#include "search/acceptance/screening.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/rng.h"

namespace nightshift::search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Screening, LeavesScoresAloneUntilEightSayHowFarTheyScatter) {
  Screening screening;
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(screening.shrunken(-0.3, 0.1).mean, -0.3);
    EXPECT_EQ(screening.shrunken(-0.3, 0.1).sd, 0.1);
    screening.add(0.01 * i, 0.1);
  }
  EXPECT_EQ(screening.shrunken(-0.3, 0.1).mean, -0.3);
  screening.add(0.07, 0.1);
  EXPECT_GT(screening.shrunken(-0.3, 0.1).mean, -0.3);
}

TEST(Screening, ThePriorIsThatOfARandomEffectsMetaAnalysis) {
  Screening screening;
  std::vector<double> effects, errors;
  base::Rng rng(1);
  for (int i = 0; i < 200; ++i) {
    errors.push_back(0.02);
    effects.push_back(0.1 + 0.05 * rng.normal() + 0.02 * rng.normal());
    screening.add(effects.back(), errors.back());
  }
  const Prior expected = prior_of(effects, errors);
  EXPECT_NEAR(screening.prior().mean, expected.mean, 1e-12);
  EXPECT_NEAR(screening.prior().variance, expected.variance, 1e-12);
  EXPECT_NEAR(std::sqrt(expected.variance), 0.05, 0.01);
  // Half way where the own error is as large as the scatter.
  const double tau = std::sqrt(expected.variance);
  const Shrunken half = screening.shrunken(expected.mean - 0.2, tau);
  EXPECT_NEAR(half.mean, expected.mean - 0.1, 1e-12);
  EXPECT_NEAR(half.sd, tau / std::sqrt(2.0), 1e-12);
}

TEST(Screening, TheVarianceWithUnequalErrorsIsDerSimonianAndLairds) {
  // Weights 1 and 4 in turn, effects -1, 1, -1, 1, ...: mean (16 - 4) / 20 = 0.6,
  // Q = 20 - 20 * 0.36 = 12.8, C = 20 - 68 / 20 = 16.6, tau^2 = (12.8 - 7) / 16.6.
  Screening screening;
  for (int i = 0; i < 8; ++i) screening.add(i % 2 == 0 ? -1 : 1, i % 2 == 0 ? 1 : 0.5);
  EXPECT_NEAR(screening.prior().mean, 0.6, 1e-12);
  EXPECT_NEAR(screening.prior().variance, 5.8 / 16.6, 1e-12);
}

TEST(Screening, EqualCandidatesAreDrawnOntoTheirMean) {
  Screening screening;
  for (int i = 0; i < 40; ++i) screening.add(0.01 * (i % 2 == 0 ? 1 : -1), 0.05);
  EXPECT_EQ(screening.prior().variance, 0) << "they scatter less than their errors say";
  EXPECT_NEAR(screening.shrunken(-0.5, 0.05).mean, 0, 1e-12);
}

TEST(Screening, TheBestOfManyEqualOnesIsMostlyLuck) {
  base::Rng rng(2);
  Screening screening;
  double best = 0, shrunken = 0;
  for (int i = 0; i < 300; ++i) {
    const double score = 0.05 * rng.normal();
    if (score < best) {
      best = score;
      shrunken = screening.shrunken(score, 0.05).mean;
    }
    screening.add(score, 0.05);
  }
  EXPECT_LT(best, -0.1);
  EXPECT_GT(shrunken, best / 4);
}

TEST(Screening, WhatIsNoFigureIsLeftOut) {
  Screening screening;
  for (int i = 0; i < 8; ++i) screening.add(0.1 * i, 0.1);
  const Prior before = screening.prior();
  screening.add(kNan, 0.1);
  screening.add(kInfinity, 0.1);
  screening.add(0.1, kNan);
  screening.add(0.1, kInfinity);
  screening.add(0.1, 0);
  screening.add(0.1, -1);
  EXPECT_EQ(screening.prior().mean, before.mean);
  EXPECT_EQ(screening.prior().variance, before.variance);
}

TEST(Screening, AnExactScoreStaysAsItIs) {
  Screening screening;
  for (int i = 0; i < 20; ++i) screening.add(0.1 * i, 0.1);
  EXPECT_EQ(screening.shrunken(-3, 0).mean, -3);
}

}  // namespace
}  // namespace nightshift::search
