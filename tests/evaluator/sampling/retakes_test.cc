#include "evaluator/sampling/retakes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "search/time_unit.h"

namespace nightshift::evaluator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;

std::vector<std::pair<std::string, std::string>> told(const Retakes& retakes) {
  std::vector<std::pair<std::string, std::string>> conditions;
  retakes.describe(conditions);
  return conditions;
}

TEST(Retakes, WhatNobodyDisturbsCountsAndIsNoWord) {
  Retakes retakes(5, 10);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(retakes.again(false, 0.001));
  EXPECT_THAT(told(retakes), IsEmpty());
}

TEST(Retakes, ASampleBesideOthersIsTakenAgain) {
  Retakes retakes(5, 10);
  EXPECT_TRUE(retakes.again(true, 0.001));
  EXPECT_TRUE(retakes.again(true, 0.001));
  EXPECT_FALSE(retakes.again(false, 0.001));
  EXPECT_THAT(told(retakes), ElementsAre(Pair("samples taken again", StartsWith("2, as"))));
}

// Others always have the core during a part of them.
TEST(Retakes, LongSamplesAreTakenAgainForAsLongAsSamplingMayTake) {
  Retakes retakes(20, 1);
  int again = 0;
  for (int i = 0; i < 20; ++i) again += retakes.again(true, 0.3) ? 1 : 0;
  EXPECT_EQ(again, 3);
  EXPECT_TRUE(retakes.again(true, 0.05)) << "0.95 s so far";
}

TEST(Retakes, NotForEverAndThenItIsSaid) {
  Retakes retakes(2, 10);
  int again = 0;
  while (retakes.again(true, 0.001)) ++again;
  EXPECT_EQ(again, 4);
  EXPECT_FALSE(retakes.again(true, 0.001));
  EXPECT_FALSE(retakes.again(false, 0.001));
  EXPECT_THAT(told(retakes), ElementsAre(Pair("samples taken again", StartsWith("4, as")),
                                         Pair(search::kPreemptedCondition, "2 of 3")));
}

}  // namespace
}  // namespace nightshift::evaluator
