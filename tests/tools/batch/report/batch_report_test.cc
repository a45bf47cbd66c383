#include "tools/batch/report/batch_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/told_batch.h"
#include "tests/tools/told_study.h"
#include "tools/batch/report/batch_rows.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using tests::kBatchNow;
using tests::ToldBatch;

constexpr const char* kEvil = "<script>alert('x')</script>|\"& @all `";

BatchReport report_of(const ToldBatch& batch, std::vector<BatchStudyFacts> facts = {}) {
  return make_batch_report(batch.record(), "batches/night", kBatchNow, std::move(facts));
}

std::vector<BatchStudyFacts> told_facts() {
  std::vector<BatchStudyFacts> facts(6);
  facts[0].change = "time 50.00 % lower (2.00 times as good)";
  facts[0].interval = "[48.00 %, 52.00 %]";
  facts[0].configuration = "TILE=4";
  facts[0].best_trial = 17;
  facts[0].differs = "TILE=4 (not 1)";
  facts[0].baseline = "time 10.00 ms [9.90, 10.10] ms";
  facts[0].best = "time 5.000 ms [4.90, 5.10] ms";
  facts[0].failures = {{"crashed", 20, 3, "killed by SIGSEGV while measuring"}};
  facts[0].page = "a b/report.html";
  facts[5].headline = "No improvement accepted; best seen: time 10.00 % higher";
  facts[5].why = "no trial beat the baseline";
  facts[5].notices = {"a device left the study: gpu:1 was lost"};
  return facts;
}

std::string text_of(const BatchReport& report) {
  return folded(batch_report_text(report), {std::string::npos, std::string::npos});
}

TEST(BatchReportText, TellsTheNightInOnePage) {
  const std::string text = text_of(report_of(ToldBatch(), told_facts()));
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("Report of the batch night: 1 improvement holds over the whole batch, 1 is"),
            HasSubstr("Holm's correction over all 6 studies"),
            HasSubstr("gemm   time 50.00 % lower (2.00 times as good)  [48.00 %, 52.00 %]"),
            HasSubstr("its own study alone"),
            HasSubstr("bad    failed     0       the baseline failed on gpu:1"),
            HasSubstr("No improvement accepted; best seen: time 10.00 % higher; no trial beat"),
            HasSubstr("gemm   crashed  20      trial 3      killed by SIGSEGV while measuring")));
  EXPECT_THAT(text, AllOf(HasSubstr("the batch  others use gpu:1: process 99"),
                          HasSubstr("rough      a device left the study: gpu:1 was lost"),
                          HasSubstr("nightshift compare batches/night/gemm"),
                          HasSubstr("nightshift report batches/night/bad"),
                          HasSubstr("nightshift watch batches/night")));
}

TEST(BatchReportText, WithoutItsJournalsAStudyIsToldByTheBatch) {
  EXPECT_THAT(text_of(report_of(ToldBatch())),
              AllOf(HasSubstr("2.000x as good"), HasSubstr("2.000x [1.923, 2.083]")));
}

TEST(BatchReportText, AnUnreadJournalIsTold) {
  std::vector<BatchStudyFacts> facts(6);
  facts[3].unread = "the journal is damaged";
  EXPECT_THAT(text_of(report_of(ToldBatch(), facts)), HasSubstr("; the journal is damaged"));
}

TEST(BatchReportRows, WhatHoldsComesFirst) {
  ToldBatch batch;
  batch.study("copy").claim->ratio = 0.1;  // larger, and does not hold
  const Rows rows = improvement_rows(report_of(batch));
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_EQ(rows[1].front(), "gemm");
  EXPECT_EQ(rows[1].back(), kHolds);
  EXPECT_EQ(rows[2].back(), kOwnStudyAlone);
}

TEST(BatchReport, TellsWhatAWinnerIsInEveryForm) {
  const BatchReport report = report_of(ToldBatch(), told_facts());
  const std::string page = batch_report_page(report);
  for (const char* part : {"trial 17: TILE=4 (not 1)", "gemm, baseline",
                           "10.00 ms [9.90, 10.10] ms", "gemm, best", "5.000 ms [4.90, 5.10] ms"}) {
    EXPECT_THAT(text_of(report), HasSubstr(part));
    EXPECT_THAT(page, HasSubstr(part));
  }
  EXPECT_THAT(page, HasSubstr("@media screen and (max-width:640px)"));
  EXPECT_THAT(batch_report_markdown(report), HasSubstr("TILE=4"));
}

TEST(BatchReport, TellsKillsAndGaps) {
  ToldBatch batch;
  EXPECT_TRUE(run_rows(report_of(batch)).empty()) << "one run, which goes on";
  batch.record().runs.front().deadline.reset();
  batch.record().runs.push_back(
      {"4712 on node7", kBatchNow + 600, {}, kBatchNow + 900, "completed", ""});
  batch.kill();
  const BatchReport report =
      make_batch_report(batch.record(), "batches/night", kBatchNow + 1000, {});
  const Rows rows = run_rows(report);
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_THAT(rows[0][1], HasSubstr("killed"));
  EXPECT_THAT(rows[1][1], HasSubstr("nobody was at it for"));
  EXPECT_THAT(rows[2][1], HasSubstr("5 min 00 s, completed"));
  EXPECT_THAT(text_of(report), HasSubstr("nobody was at it for"));
  EXPECT_THAT(batch_report_page(report), HasSubstr("nobody was at it for"));
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
  EXPECT_EQ(batch_next_steps(report_of(batch)).back().first, "nightshift batch run batches/night");
}

TEST(BatchReportRows, WhatFailedIsTriedAgainOnceItIsMended) {
  ToldBatch batch;
  batch.kill();
  batch.study("bad").reason = "bad.toml: there is no such file";
  bool told = false;
  for (const auto& [command, what] : batch_next_steps(report_of(batch))) {
    told = told || (command == "nightshift batch run batches/night" &&
                    what ==
                        "try again what failed or was not begun, once that is mended: bad: "
                        "bad.toml: there is no such file");
  }
  EXPECT_TRUE(told);
}

TEST(BatchReport, FrontsAreToldInEveryForm) {
  std::vector<BatchStudyFacts> facts = told_facts();
  facts[0].front = {{"trial", "time"}, {"17", "5.000 ms"}};
  facts[0].beside_front = "the baseline is on it as well";
  const BatchReport report = report_of(ToldBatch(), facts);
  for (const std::string& text :
       {text_of(report), batch_report_page(report), batch_report_markdown(report)}) {
    EXPECT_THAT(text, AllOf(HasSubstr("Pareto front of gemm"), HasSubstr("5.000 ms"),
                            HasSubstr("the baseline is on it as well")));
  }
}

TEST(BatchReportPage, HasItsPartsAChartAndLinks) {
  const std::string page = batch_report_page(report_of(ToldBatch(), told_facts()));
  std::size_t at = 0;
  for (const char* part :
       {"<h1>Report of the batch night</h1>", "class=\"verdict good\"", "<h2>What improved</h2>",
        "<a href=\"a%20b/report.html\">gemm</a>", "<h2>What did not, and why</h2>",
        "<h2>What failed, and how</h2>", "<h2>Devices</h2>", "<h2>To be known</h2>",
        "<h2>Where the time went</h2>", "<svg class=\"wide\"", "norm, as a guest, 1 min 00 s",
        "<h2>How to go on</h2>"}) {
    const std::size_t found = page.find(part, at);
    ASSERT_NE(found, std::string::npos) << part;
    at = found;
  }
}

TEST(BatchReportPage, EscapesEverythingThatOthersWrote) {
  ToldBatch batch;
  batch.record().name = kEvil;
  for (auto& study : batch.record().studies) {
    study.terms.name += kEvil;
    study.reason = kEvil;
  }
  for (auto& lease : batch.record().leases) lease.study += kEvil;
  for (auto& event : batch.record().events) event.text = kEvil;
  batch.record().devices[0].model = kEvil;
  std::vector<BatchStudyFacts> facts(6);
  facts[0].failures = {{kEvil, 1, 1, kEvil}};
  facts[0].notices = {kEvil};
  facts[0].page = kEvil;
  const BatchReport report = report_of(batch, facts);
  EXPECT_THAT(batch_report_page(report), Not(HasSubstr("<script")));
  const std::string markdown = batch_report_markdown(report);
  EXPECT_THAT(markdown, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("@all"))));
}

TEST(BatchReportMarkdown, IsShortAtFirstAndFoldsTheRest) {
  const std::string text = batch_report_markdown(report_of(ToldBatch(), told_facts()));
  const std::string shown = text.substr(0, text.find("<details>"));
  EXPECT_THAT(shown, AllOf(HasSubstr("### Batch night: 1 improvement holds over the whole batch"),
                           HasSubstr("| gemm | time 50.00 % lower (2.00 times as good) |"),
                           HasSubstr("6 studies: 1 running, 1 waiting, 3 completed, 1 failed.")));
  EXPECT_THAT(shown, Not(HasSubstr("SIGSEGV")));
  EXPECT_THAT(
      text, AllOf(HasSubstr("- gemm, trial 17: `TILE=4`"), HasSubstr("<summary>Failures</summary>"),
                  HasSubstr("| gemm | crashed | 20 |")));
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
  const auto claim = claim_of(summary, problem);
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->ratio, 0.5);
  scheduler::StudySummary none = summary;
  none.accepted = false;
  EXPECT_FALSE(claim_of(none, problem));
}

}  // namespace
}  // namespace nightshift::tools
