#include "scheduler/summary/batch_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/journal/batch_terms_text.h"
#include "scheduler/summary/batch_time.h"
#include "tests/tools/told_batch.h"

namespace nightshift::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using tests::kBatchBegan;
using tests::kBatchNow;
using tests::ToldBatch;

std::optional<BatchClaim> claim(double p, double level = 0.01) {
  return BatchClaim{0.9, {0.85, 0.95}, p, level};
}

TEST(JointClaim, OfOneStudyIsItsOwn) {
  EXPECT_THAT(hold_jointly({claim(0.009)}), ElementsAre(true));
  EXPECT_THAT(hold_jointly({claim(0.011)}), ElementsAre(false));
  EXPECT_THAT(hold_jointly({}), IsEmpty());
}

TEST(JointClaim, StudiesWithoutOneCount) {
  EXPECT_THAT(hold_jointly({claim(0.004), {}, {}}), ElementsAre(false, false, false));
  EXPECT_THAT(hold_jointly({claim(0.003), {}, {}}), ElementsAre(true, false, false));
}

TEST(JointClaim, IsThatOfHolmAndNotOfBonferroni) {
  // Bonferroni needs 0.01 / 2 of the second one too.
  EXPECT_THAT(hold_jointly({claim(0.001), claim(0.008)}), ElementsAre(true, true));
  EXPECT_THAT(hold_jointly({claim(0.008), claim(0.006)}), ElementsAre(false, false));
}

TEST(JointClaim, TheStrictestLevelHolds) {
  EXPECT_THAT(hold_jointly({claim(0.02, 0.05), claim(0.0001, 0.01)}), ElementsAre(false, true));
}

TEST(JointClaim, WithoutAHoldOutNothingHolds) {
  EXPECT_THAT(hold_jointly({claim(1)}), ElementsAre(false));
}

TEST(BatchSummaryTest, CountsStudiesTrialsAndClaims) {
  const BatchSummary summary = summarise(ToldBatch().record(), kBatchNow);
  EXPECT_EQ(summary.state, BatchState::kRunning);
  EXPECT_EQ(summary.count(BatchStudyState::kCompleted), 3u);
  EXPECT_EQ(summary.count(BatchStudyState::kPaused), 0u);
  EXPECT_EQ(summary.trials, 1934u);
  EXPECT_EQ(summary.failed, 94u);
  EXPECT_EQ(summary.claims, 2u);
  EXPECT_EQ(summary.holding, 1u);
  EXPECT_THAT(summary.holds, ElementsAre(true, false, false, false, false, false));
  EXPECT_EQ(summary.devices_at_work, 1u);
  EXPECT_EQ(summary.ended, kBatchNow);
}

TEST(BatchSummaryTest, WhatTheTimeDoesNotServeIsWhatTheLastRunSaidLast) {
  ToldBatch batch;
  batch.short_of_time({"norm", "copy", "late"});
  ASSERT_TRUE(summarise(batch.record(), kBatchNow).shortage);
  EXPECT_THAT(summarise(batch.record(), kBatchNow).shortage->left, ElementsAre("norm", "late"))
      << "copy has a result";
  batch.short_of_time({});
  EXPECT_FALSE(summarise(batch.record(), kBatchNow).shortage);
  batch.short_of_time({"late"});
  batch.record().events.back().text = "no JSON";
  EXPECT_FALSE(summarise(batch.record(), kBatchNow).shortage);
  batch.short_of_time({"late"});
  batch.record().runs.push_back({"1 on node7", kBatchBegan + 200, {}, {}, "running", ""});
  EXPECT_FALSE(summarise(batch.record(), kBatchNow).shortage) << "an earlier run said it";
}

TEST(BatchSummaryTest, ItsStateIsThatOfItsLastRun) {
  ToldBatch batch;
  batch.end(3600, "interrupted", "SIGTERM");
  EXPECT_EQ(summarise(batch.record(), kBatchNow).state, BatchState::kInterrupted);
  batch.end(3600, "completed", "");
  EXPECT_EQ(summarise(batch.record(), kBatchNow + 999).state, BatchState::kCompleted);
  EXPECT_EQ(summarise(batch.record(), kBatchNow + 999).ended, kBatchBegan + 3600);
  ToldBatch killed;
  killed.kill();
  EXPECT_EQ(summarise(killed.record(), kBatchNow).state, BatchState::kCutOff);
  killed.record().runs.clear();
  EXPECT_EQ(summarise(killed.record(), kBatchNow).state, BatchState::kNotBegun);
}

TEST(BatchTimeTest, TellsWhereTheTimeWent) {
  const BatchTime time = batch_time(ToldBatch().record(), kBatchNow);
  EXPECT_EQ(time.run_seconds(), 3600);
  EXPECT_EQ(time.studies[0].owned, 1200);
  EXPECT_EQ(time.studies[1].owned, 2400);  // it has it still
  EXPECT_EQ(time.studies[1].borrowed, 60);
  EXPECT_EQ(time.devices[0].owned, 3600);
  EXPECT_EQ(time.devices[1].owned, 1260);
  EXPECT_EQ(time.devices[1].idle, 1700);
}

TEST(BatchTimeTest, ADeviceOfTwoStudiesCountsOnce) {
  ToldBatch batch;
  batch.record().leases.push_back({"rough", "gpu:0", false, kBatchBegan + 100, kBatchBegan + 900});
  const BatchTime time = batch_time(batch.record(), kBatchNow);
  EXPECT_EQ(time.devices[0].owned, 3600);
  EXPECT_EQ(time.studies[5].owned, 1400);
}

TEST(BatchTimeTest, AKilledRunEndsWithItsLastSign) {
  ToldBatch batch;
  batch.kill();
  batch.study("norm").progress->at = kBatchBegan + 3050;
  const BatchTime time = batch_time(batch.record(), kBatchNow + 1e6);
  EXPECT_EQ(time.run_seconds(), 3060);     // the end of the guest's lease
  EXPECT_EQ(time.studies[1].owned, 1860);  // an open lease ends with its run
}

TEST(BatchTimeTest, TheTimeBetweenRunsIsNobodys) {
  ToldBatch batch;
  batch.end(1300, "interrupted", "SIGTERM");
  batch.record().runs.push_back({"5 on node7", kBatchBegan + 3000, {}, {}, "running", ""});
  batch.record().writer = "5 on node7";
  const BatchTime time = batch_time(batch.record(), kBatchNow);
  EXPECT_EQ(time.run_seconds(), 1300 + 600);
  EXPECT_EQ(time.studies[1].owned, 100);
}

TEST(BatchTimeTest, ARunThatBeganByAClockThatWasSetBackTakesNothingAway) {
  ToldBatch batch;
  batch.end(3600, "interrupted", "SIGTERM");
  batch.record().runs.push_back(
      {"5 on node7", kBatchBegan - 7200, {}, kBatchBegan - 7000, "completed", ""});
  EXPECT_EQ(batch_seconds(batch.record(), kBatchNow), 3600 + 200);
  batch.record().runs.back().started = kBatchBegan + 4000;
  batch.record().runs.back().ended = kBatchBegan + 4200;
  EXPECT_EQ(batch_seconds(batch.record(), kBatchNow), 4200) << "with what lies between them";
}

TEST(BatchTimeTest, TheClockOfARunThatGoesOnIsKnownOfItsLastSetting) {
  ToldBatch batch;
  EXPECT_EQ(now_in(batch.record(), kBatchNow), kBatchNow);
  const auto set = [&](double at, const std::string& text) {
    batch.record().events.push_back({kBatchBegan + at, "", kClockEvent, text});
  };
  set(-10, shift_to_text(99));
  EXPECT_EQ(now_in(batch.record(), kBatchNow), kBatchNow) << "of another run";
  set(100, shift_to_text(7200));
  set(200, shift_to_text(-3600));
  EXPECT_EQ(now_in(batch.record(), kBatchNow), kBatchNow + 3600);
  set(300, "no number");
  EXPECT_EQ(now_in(batch.record(), kBatchNow), kBatchNow);
}

}  // namespace
}  // namespace nightshift::scheduler
