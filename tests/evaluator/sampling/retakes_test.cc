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
  Retakes retakes(5);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(retakes.again(false));
  EXPECT_THAT(told(retakes), IsEmpty());
}

TEST(Retakes, ASampleBesideOthersIsTakenAgain) {
  Retakes retakes(5);
  EXPECT_TRUE(retakes.again(true));
  EXPECT_TRUE(retakes.again(true));
  EXPECT_FALSE(retakes.again(false));
  EXPECT_THAT(told(retakes), ElementsAre(Pair("samples taken again", StartsWith("2, as"))));
}

TEST(Retakes, NotForEverAndThenItIsSaid) {
  Retakes retakes(2);
  int again = 0;
  while (retakes.again(true)) ++again;
  EXPECT_EQ(again, 4);
  EXPECT_FALSE(retakes.again(true));
  EXPECT_FALSE(retakes.again(false));
  EXPECT_THAT(told(retakes), ElementsAre(Pair("samples taken again", StartsWith("4, as")),
                                         Pair(search::kPreemptedCondition, "2 of 3")));
}

}  // namespace
}  // namespace nightshift::evaluator
