#include "tools/batch/report/batch_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/tools/told_batch.h"
#include "tests/tools/told_study.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::kBatchNow;
using tests::ToldBatch;

const std::string kFolder = "batches/my night";

std::string text_of(const ToldBatch& batch, std::size_t columns = std::string::npos) {
  return folded(batch_status_text({batch.record(), kFolder, kBatchNow}, columns),
                {std::string::npos, std::string::npos});
}

TEST(BatchStatus, TellsQueueDevicesStudiesAndClaims) {
  EXPECT_THAT(
      text_of(ToldBatch()),
      AllOf(HasSubstr("Batch night: running as process 4711 on node7"),
            HasSubstr("6 studies: 1 running, 1 waiting, 3 completed, 1 failed"),
            HasSubstr("1,934 trials done, 1,840 measured, 94 failed"),
            HasSubstr("1 improvement holds over the whole batch"), HasSubstr("\ndevices\n"),
            HasSubstr("2.000x [1.923, 2.083]"), HasSubstr("it does not hold over the whole batch"),
            HasSubstr("what went wrong\n  bad: the baseline failed on gpu:1"),
            HasSubstr("nightshift watch 'batches/my night'")));
}

TEST(BatchStatus, OfABatchThatEndedHasNoDevicesAtWork) {
  ToldBatch batch;
  batch.end(3600, "completed", "");
  EXPECT_THAT(text_of(batch), AllOf(Not(HasSubstr("\ndevices\n")), Not(HasSubstr("watch")),
                                    HasSubstr("nightshift report 'batches/my night'")));
}

TEST(BatchStatus, RowsFitTheTerminal) {
  std::istringstream in(text_of(ToldBatch(), 60));
  for (std::string line; std::getline(in, line);) {
    const bool is_row = line.find("completed  ") != std::string::npos ||
                        line.find("running 66 %") != std::string::npos;
    if (is_row) {
      EXPECT_LE(width_of(line), 60u) << line;
    }
  }
}

TEST(BatchStatus, JsonHasWhatScriptsNeed) {
  const auto json = batch_status_json({ToldBatch().record(), kFolder, kBatchNow});
  EXPECT_EQ(json["state"], "running");
  EXPECT_EQ(json["process"], "4711 on node7");
  EXPECT_EQ(json["queue"]["completed"], 3);
  EXPECT_EQ(json["claims"]["own"], 2);
  EXPECT_EQ(json["claims"]["joint"], 1);
  EXPECT_EQ(json["devices"][0]["study"], "norm");
  EXPECT_EQ(json["studies"][0]["claim"]["joint"], true);
  EXPECT_EQ(json["studies"][2]["claim"]["joint"], false);
  EXPECT_TRUE(json["studies"][1]["claim"].is_null());
  EXPECT_EQ(json["studies"][1]["limit"], 3600);
  EXPECT_EQ(json["studies"][1]["folder"], "batches/my night/norm");
  EXPECT_TRUE(json["studies"][4]["best"].is_null());
}

TEST(BatchStatus, WhatTheTimeDoesNotServeIsTold) {
  ToldBatch batch;
  EXPECT_TRUE(batch_status_json({batch.record(), kFolder, kBatchNow})["time"].is_null());
  batch.short_of_time({"late", "norm", "gemm"});
  EXPECT_THAT(text_of(batch), HasSubstr("the time (2 h 00 min) serves 4 of 6 studies, 5 h 00 min "
                                        "would serve all; left: late, norm\n"))
      << "gemm has its result";
  const auto json = batch_status_json({batch.record(), kFolder, kBatchNow})["time"];
  EXPECT_EQ(json["given"], 7200);
  EXPECT_EQ(json["whole"], 18000);
  EXPECT_EQ(json["left"].size(), 2U);
  EXPECT_EQ(json["left"][0], "late");
}

TEST(BatchStatus, JournalsThatCannotBeReadAreTold) {
  const ToldBatch batch;
  BatchView view{batch.record(), kFolder, kBatchNow, "", {"it is damaged", "", "", "", "", ""}};
  EXPECT_THAT(batch_status_text(view, std::string::npos), HasSubstr("gemm: it is damaged"));
  EXPECT_THAT(batch_status_row(view).back(), HasSubstr("; 1 journal cannot be read"));
  const auto json = batch_status_json(view);
  EXPECT_EQ(json["studies"][0]["unread"], "it is damaged");
  EXPECT_TRUE(json["studies"][1]["unread"].is_null());
}

class StudyStatus : public ::testing::Test {
 protected:
  StudyStatus() {
    outline_.history = tests::ToldStudy().history();
    outline_.history.trials.clear();
    outline_.history.events.clear();
    outline_.history.objectives = {{"time", "ms"}};
    outline_.evaluations = 3;
    outline_.measured = 1;
    outline_.skipped = 1;
    outline_.failed = 1;
    outline_.best = 0.5;
  }
  std::string text() { return study_status_text({outline_, "studies/one"}); }
  void hold_out(search::Acceptance acceptance) {
    scheduler::ConfirmationSetup setup = outline_.history.confirmations[0];
    setup.id = search::ConfirmationId{2};
    setup.purpose = scheduler::Purpose::kHoldOut;
    outline_.history.confirmations.push_back(setup);
    scheduler::ConfirmationVerdict verdict = outline_.history.verdicts[0];
    verdict.id = search::ConfirmationId{2};
    verdict.verdict.acceptance = std::move(acceptance);
    outline_.history.verdicts.push_back(verdict);
  }
  scheduler::StudyOutline outline_;
};

TEST_F(StudyStatus, TellsTrialsBestAndDuels) {
  EXPECT_THAT(text(),
              AllOf(HasSubstr("Study of sgemm: completed, the budget is used up"),
                    HasSubstr("3 configurations done, 1 measured, 1 skipped, 1 failed"),
                    HasSubstr("time 50.00 % lower (2.00 times as good) as measured"),
                    HasSubstr("by 1 duel, no hold-out yet"), HasSubstr("1 min 01 s in 2 runs")));
}

TEST_F(StudyStatus, TellsWhatTheHoldOutSays) {
  hold_out(search::Accept{"yes"});
  EXPECT_THAT(text(), HasSubstr("2.000x [1.818, 2.222], confirmed by the hold-out"));
  EXPECT_EQ(study_status_json({outline_, "studies/one"})["hold_out"]["accepted"], true);
}

TEST_F(StudyStatus, TellsWhatTheHoldOutDidNotConfirm) {
  hold_out(search::Reject{"no"});
  EXPECT_THAT(text(), HasSubstr("which the hold-out did not confirm"));
  EXPECT_EQ(study_status_json({outline_, "studies/one"})["hold_out"]["accepted"], false);
}

TEST_F(StudyStatus, TellsARunningOneFromAKilledOne) {
  outline_.history.status = "running";
  EXPECT_THAT(text(), HasSubstr("interrupted, the last run did not say how it ended"));
  outline_.history.writer = "5 on node7";
  EXPECT_THAT(text(), HasSubstr("running, process 5 on node7 is at it"));
}

TEST_F(StudyStatus, AHoldOutThatTheTimeCutOffHasNotFailed) {
  hold_out(search::Undecided{"the time budget was used up"});
  search::Verdict& verdict = outline_.history.verdicts.back().verdict;
  verdict.ratio = 1;
  verdict.devices.clear();
  verdict.interval = search::kUnbounded;
  EXPECT_THAT(text(), AllOf(HasSubstr("by 1 duel, and the hold-out has no verdict: the time budget "
                                      "was used up"),
                            Not(HasSubstr("it failed"))));
  verdict.acceptance = search::Reject{"when it was confirmed, the candidate crashed"};
  EXPECT_THAT(text(), HasSubstr("by 1 duel, and it failed when the hold-out was to confirm it"));
}

}  // namespace
}  // namespace nightshift::tools
