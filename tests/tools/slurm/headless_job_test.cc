#include "tools/slurm/headless_job.h"

#include <gtest/gtest.h>

namespace nightshift::tools {
namespace {

using Act = HeadlessJob::Act;

JobTerms runs() { return {3600, true, true, false, "node1"}; }

TEST(HeadlessJob, IsQueuedAgainOnceTheHeadsNodeIsLostForGood) {
  HeadlessJob job;
  EXPECT_EQ(job.learn(runs(), true, 1), Act::kWait);
  EXPECT_EQ(job.learn(runs(), false, 3), Act::kWait);  // it has answered after all
  EXPECT_EQ(job.learn(runs(), true, 7), Act::kWait);
  EXPECT_EQ(job.learn(runs(), true, 15), Act::kRequeue);
}

TEST(HeadlessJob, IsCancelledWhereItMustNotBeQueuedAgain) {
  JobTerms terms = runs();
  terms.may_requeue = false;
  HeadlessJob job;
  EXPECT_EQ(job.learn(terms, true, 1), Act::kWait);
  EXPECT_EQ(job.learn(terms, true, 3), Act::kCancel);
}

TEST(HeadlessJob, OneThatEndsNeedsNobody) {
  JobTerms terms = runs();
  terms.runs = false;
  HeadlessJob job;
  EXPECT_EQ(job.learn(terms, true, 1), Act::kLeave);
}

TEST(HeadlessJob, AHeadThatLivesIsLeftAlone) {
  HeadlessJob job;
  double seconds = 0;
  int looks = 0;
  for (; job.learn(runs(), false, seconds) == Act::kWait; ++looks) seconds += job.pause();
  EXPECT_GE(seconds, 900);
  EXPECT_LT(looks, 40);  // a controller has others to answer
}

TEST(HeadlessJob, SlurmMayBeSilentForAWhile) {
  HeadlessJob job;
  EXPECT_EQ(job.learn(std::nullopt, false, 1), Act::kWait);
  EXPECT_EQ(job.learn(runs(), true, 3), Act::kWait);
  EXPECT_EQ(job.learn(std::nullopt, false, 7), Act::kWait);
  EXPECT_EQ(job.learn(runs(), true, 15), Act::kRequeue);
  EXPECT_EQ(HeadlessJob().learn(std::nullopt, false, 900), Act::kLeave);
}

}  // namespace
}  // namespace nightshift::tools
