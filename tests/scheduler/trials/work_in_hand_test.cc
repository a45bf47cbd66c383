#include "scheduler/trials/work_in_hand.h"

#include <gtest/gtest.h>

namespace nightshift::scheduler {
namespace {

using search::TrialId;

TEST(WorkInHand, WhatIsQueuedBehindAnEvaluationBeginsWhenThatEnds) {
  WorkInHand work;
  EXPECT_EQ(work.at_work(0), std::nullopt);
  EXPECT_TRUE(work.give(0, {1}));
  EXPECT_FALSE(work.give(0, {2}));
  EXPECT_TRUE(work.give(1, {3}));
  EXPECT_EQ(work.at_work(0), TrialId{1});
  EXPECT_EQ(work.take_back(0, {1}), TrialId{2});
  EXPECT_EQ(work.take_back(0, {2}), std::nullopt);
  EXPECT_EQ(work.at_work(0), std::nullopt);
  EXPECT_EQ(work.count(), 1U);
}

TEST(WorkInHand, WhatComesBackFromTheQueueChangesNothingThatIsAtWork) {
  WorkInHand work;
  work.give(0, {1});
  work.give(0, {2});
  EXPECT_EQ(work.take_back(0, {2}), std::nullopt);
  EXPECT_EQ(work.at_work(0), TrialId{1});
  EXPECT_TRUE(work.any_of([](TrialId id) { return id == TrialId{1}; }));
  EXPECT_FALSE(work.any_of([](TrialId id) { return id == TrialId{2}; }));
}

}  // namespace
}  // namespace nightshift::scheduler
