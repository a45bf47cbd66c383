#include "tools/batch/report/batch_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tools/batch/report/told_report.h"
#include "tests/tools/told_study.h"
#include "tools/batch/report/batch_rows.h"

namespace nightshift::tools {
namespace {

using ::testing::SizeIs;
using tests::kBatchNow;
using tests::report_of;
using tests::ToldBatch;

TEST(BatchReportRows, WhatHoldsComesFirst) {
  ToldBatch batch;
  batch.study("copy").claim->ratio = 0.1;  // larger, and does not hold
  const Rows rows = improvement_rows(report_of(batch));
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_EQ(rows[1].front(), "gemm");
  EXPECT_EQ(rows[1].back(), kHolds);
  EXPECT_EQ(rows[2].back(), kOwnStudyAlone);
}

TEST(BatchReportRows, ANoticeThatTheBatchHasToldIsNotToldTwice) {
  ToldBatch batch;
  batch.record().events.push_back({kBatchNow, "rough", "notice", "a device left"});
  std::vector<BatchStudyFacts> facts(6);
  facts[5].notices = {"a device left"};
  EXPECT_THAT(notice_rows(report_of(batch, facts)), SizeIs(2));
}

TEST(BatchReportRows, ABatchThatWasCutOffIsToGoOn) {
  ToldBatch batch;
  batch.kill();
  EXPECT_EQ(batch_next_steps(report_of(batch)).back().front(),
            "nightshift batch run batches/night");
}

TEST(BatchReportRows, WhatFailedIsTriedAgainOnceItIsMended) {
  ToldBatch batch;
  batch.kill();
  batch.study("bad").reason = "bad.toml: there is no such file";
  bool told = false;
  for (const auto& step : batch_next_steps(report_of(batch))) {
    told = told || (step[0] == "nightshift batch run batches/night" &&
                    step[1] ==
                        "try again what failed or was not begun, once that is mended: bad: "
                        "bad.toml: there is no such file");
  }
  EXPECT_TRUE(told);
}

TEST(BatchFacts, AreThoseOfTheStudysOwnReport) {
  const tests::ToldStudy study;
  const search::Problem problem = tests::told_problem();
  const scheduler::StudySummary summary = tests::told_summary();
  const BatchStudyFacts facts = facts_of(study.history(), problem, summary);
  EXPECT_EQ(facts.change, "time 50.00 % lower (2.00 times as good)");
  EXPECT_EQ(facts.interval, "[45.00 %, 55.00 %]");
  EXPECT_EQ(facts.best_trial, 2u);
  ASSERT_THAT(facts.failures, SizeIs(1));
  EXPECT_EQ(facts.failures[0].kind, "crashed");
  EXPECT_EQ(facts.failures[0].example, 3u);
  const auto claim = claim_of(summary);
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->ratio, 0.5);
  scheduler::StudySummary none = summary;
  none.accepted = false;
  EXPECT_FALSE(claim_of(none));
}

TEST(BatchReportRows, WhatHasNoFolderIsNotToBeLookedInto) {
  const auto looks_into = [](const BatchReport& report) {
    const Rows steps = batch_next_steps(report);
    return std::ranges::any_of(steps, [](const auto& step) {
      return step.front() == "nightshift report batches/night/bad";
    });
  };
  ToldBatch batch;
  EXPECT_TRUE(looks_into(report_of(batch)));
  std::vector<BatchStudyFacts> facts(6);
  facts[3].unread = "it is damaged";
  EXPECT_FALSE(looks_into(report_of(batch, facts)));
  batch.study("bad").began.reset();
  EXPECT_FALSE(looks_into(report_of(batch)));
}

}  // namespace
}  // namespace nightshift::tools
