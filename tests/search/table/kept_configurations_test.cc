#include "search/table/kept_configurations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace nightshift::search {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(KeptConfigurations, TheCurveBeginsWithTheDefaultAloneAndEndsWhereNothingIsGained) {
  const ChoiceCosts choice{{{0, -0.5, -0.1, 0}, {0, -0.1, -0.4, 0}}, {1, 1}};
  const auto curve = curve_of_kept(choice, 8, 0.03);
  ASSERT_THAT(curve, SizeIs(3));
  EXPECT_THAT(curve[0].kept, IsEmpty());
  EXPECT_NEAR(curve[0].geometric_mean, 1, 1e-12);
  EXPECT_NEAR(curve[0].of_best, std::exp(0.45), 1e-12);
  EXPECT_THAT(curve[1].kept, ElementsAre(1));
  EXPECT_NEAR(curve[1].worst, std::exp(0.3), 1e-12);
  EXPECT_EQ(curve[1].beyond_slack, 1U);
  EXPECT_THAT(curve[2].kept, ElementsAre(1, 2));
  EXPECT_THAT(curve[2].of_shape, ElementsAre(1, 2));
  EXPECT_NEAR(curve[2].of_best, 1, 1e-12);
  EXPECT_EQ(enough_of(curve, 0.03), 2U);
}

// The greedy first choice, 3, is in none of the best pairs.
TEST(KeptConfigurations, AnExchangeMendsWhatGreedChose) {
  const ChoiceCosts choice{
      {{0, -1.0, 0, -0.6}, {0, -1.0, 0, -0.6}, {0, 0, -1.0, -0.6}, {0, 0, -1.0, -0.6}},
      {1, 1, 1, 1}};
  const auto curve = curve_of_kept(choice, 2, 0.03);
  EXPECT_THAT(curve[1].kept, ElementsAre(3));
  EXPECT_THAT(curve[2].kept, ElementsAre(1, 2));
}

TEST(KeptConfigurations, WeightsDecideWhichShapesCount) {
  const std::vector<std::vector<double>> costs{{0, -0.5, 0}, {0, 0, -0.4}};
  EXPECT_THAT(curve_of_kept({costs, {1, 1}}, 1, 0.03)[1].kept, ElementsAre(1));
  EXPECT_THAT(curve_of_kept({costs, {1, 5}}, 1, 0.03)[1].kept, ElementsAre(2));
}

TEST(KeptConfigurations, WhatIsUnusableIsNotChosen) {
  const auto curve = curve_of_kept({{{0, 1e6}, {0, -0.5}}, {1, 1}}, 4, 0.03);
  EXPECT_THAT(curve.back().of_shape, ElementsAre(0, 1));
}

TEST(KeptConfigurations, WhereNoneIsWithinTheSlackTheKneeIsTaken) {
  std::vector<KeptConfigurations> curve(3);
  curve[0].of_best = 1.5, curve[0].beyond_slack = 5;
  curve[1].of_best = 1.0405, curve[1].beyond_slack = 3;
  curve[2].of_best = 1.04, curve[2].beyond_slack = 3;
  EXPECT_EQ(enough_of(curve, 0.03), 1U);
  EXPECT_EQ(enough_of({}, 0.03), 0U);
}

}  // namespace
}  // namespace nightshift::search
