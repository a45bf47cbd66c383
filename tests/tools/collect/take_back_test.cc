#include "tools/collect/take_back.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

namespace nightshift::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using Group = std::vector<std::size_t>;

// Measures groups of changes whose gains add up; what is below 1 % is no difference.
std::size_t settle(TakeBack& take_back, const std::vector<double>& gains) {
  std::size_t measured = 0;
  while (const auto group = take_back.next()) {
    double gain = 0;
    for (const std::size_t one : *group) gain += gains[one];
    take_back.ended(gain > 0.01    ? ComparisonOutcome::kSecondBetter
                    : gain < -0.01 ? ComparisonOutcome::kSecondWorse
                                   : ComparisonOutcome::kNoDifference);
    if (++measured > 4 * gains.size()) ADD_FAILURE() << "does not end";
  }
  return measured;
}

TEST(TakeBack, WhatHelpsAsAWholeIsKeptAtOnce) {
  TakeBack take_back(8, false);
  EXPECT_THAT(*take_back.next(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(settle(take_back, {.02, .02, .02, .02, .02, .02, .02, .02}), 1U);
  EXPECT_EQ(take_back.kept().size(), 8U);
  EXPECT_THAT(take_back.taken_back(), IsEmpty());
}

TEST(TakeBack, TheOneThatLosesIsFoundByHalves) {
  std::vector<double> gains(16, 0.02);
  gains[11] = -0.5;
  TakeBack take_back(16, false);
  EXPECT_LE(settle(take_back, gains), 9U);
  EXPECT_THAT(take_back.taken_back(), ElementsAre(11));
  EXPECT_EQ(take_back.kept().size(), 15U);
}

TEST(TakeBack, AGainAndALossThatCancelOutAreToldApart) {
  TakeBack take_back(2, false);
  settle(take_back, {0.05, -0.05});
  EXPECT_THAT(take_back.taken_back(), ElementsAre(1));
  EXPECT_THAT(take_back.kept(), ElementsAre(0));
}

TEST(TakeBack, ALoserBehindWinnersIsFoundOneByOne) {
  const std::vector<double> gains = {0.1, 0.1, -0.03, 0.1};
  TakeBack quick(4, false);
  settle(quick, gains);
  EXPECT_THAT(quick.taken_back(), IsEmpty());
  TakeBack thorough(4, true);
  settle(thorough, gains);
  EXPECT_THAT(thorough.taken_back(), ElementsAre(2));
}

TEST(TakeBack, AllThatLoseGo) {
  TakeBack take_back(3, false);
  settle(take_back, {-0.1, -0.1, -0.1});
  EXPECT_THAT(take_back.taken_back(), UnorderedElementsAre(0, 1, 2));
  EXPECT_THAT(take_back.kept(), IsEmpty());
}

TEST(TakeBack, WhatShowsNothingAloneStays) {
  TakeBack take_back(2, true);
  settle(take_back, {0.0, 0.0});
  EXPECT_THAT(take_back.kept(), ElementsAre(0, 1));
}

TEST(TakeBack, WithoutChangesThereIsNothingToMeasure) {
  EXPECT_EQ(TakeBack(0, true).next(), std::nullopt);
}

TEST(TakeBack, TheOthersAreThoseThatAreKept) {
  TakeBack take_back(4, false);
  take_back.ended(ComparisonOutcome::kSecondWorse);
  EXPECT_THAT(*take_back.next(), ElementsAre(0, 1));
  EXPECT_THAT(take_back.kept_without(*take_back.next()), ElementsAre(2, 3));
  take_back.ended(ComparisonOutcome::kSecondWorse);
  EXPECT_THAT(*take_back.next(), ElementsAre(0));
  take_back.ended(ComparisonOutcome::kSecondWorse);
  EXPECT_THAT(take_back.kept_without(*take_back.next()), ElementsAre(2, 3));
}

}  // namespace
}  // namespace nightshift::tools
