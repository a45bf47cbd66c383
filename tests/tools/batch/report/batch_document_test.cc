#include "tools/batch/report/batch_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/journal/batch_terms_text.h"
#include "tests/tools/batch/report/told_report.h"
#include "tools/batch/report/batch_rows.h"
#include "tools/document/document_writers.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using tests::kBatchNow;
using tests::report_of;
using tests::told_facts;
using tests::ToldBatch;

constexpr const char* kEvil = "<script>alert('x')</script>|\"& @all `";

std::string text_of(const BatchReport& report) {
  return folded(to_text(document_of(report)), {std::string::npos, std::string::npos});
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
  facts[3].unread.clear();
  facts[0].unread = "the journal of a winner is damaged";
  EXPECT_THAT(text_of(report_of(ToldBatch(), facts)),
              HasSubstr("the journal of a winner is damaged"));
}

TEST(BatchReport, TellsWhatAWinnerIsInEveryForm) {
  const BatchReport report = report_of(ToldBatch(), told_facts());
  const std::string page = to_html(document_of(report));
  for (const char* part : {"trial 17: TILE=4 (not 1)", "gemm, baseline",
                           "10.00 ms [9.90, 10.10] ms", "gemm, best", "5.000 ms [4.90, 5.10] ms"}) {
    EXPECT_THAT(text_of(report), HasSubstr(part));
    EXPECT_THAT(page, HasSubstr(part));
  }
  EXPECT_THAT(page, HasSubstr("@media screen and (max-width:640px)"));
  EXPECT_THAT(to_markdown(document_of(report)), HasSubstr("TILE=4"));
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
  EXPECT_THAT(to_html(document_of(report)), HasSubstr("nobody was at it for"));
}

// Its times go on after those of the run before it: how long nobody was at it is not known.
TEST(BatchReport, TellsThatTheClockWasSetBackBetweenTwoRuns) {
  ToldBatch batch;
  batch.record().runs.push_back(
      {"4712 on node7", kBatchNow + 600, {}, kBatchNow + 900, "completed", ""});
  batch.record().events.push_back(
      {kBatchNow + 600, "", scheduler::kClockEvent, scheduler::shift_to_text(-3600)});
  batch.kill();
  const Rows rows =
      run_rows(make_batch_report(batch.record(), "batches/night", kBatchNow + 1000, {}));
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_EQ(rows[1][1], "the machine's clock was set back before the next run");
  EXPECT_THAT(rows[2][1], HasSubstr("5 min 00 s, completed"));
}

TEST(BatchReport, FrontsAreToldInEveryForm) {
  std::vector<BatchStudyFacts> facts = told_facts();
  facts[0].front = {Table{{{"trial", "time"}, {"17", "5.000 ms"}}},
                    Paragraph{"the baseline is on it as well"}};
  const BatchReport report = report_of(ToldBatch(), facts);
  for (const std::string& text :
       {text_of(report), to_html(document_of(report)), to_markdown(document_of(report))}) {
    EXPECT_THAT(text, AllOf(HasSubstr("Pareto front of gemm"), HasSubstr("5.000 ms"),
                            HasSubstr("the baseline is on it as well")));
  }
}

TEST(BatchReportPage, HasItsPartsAChartAndLinks) {
  const std::string page = to_html(document_of(report_of(ToldBatch(), told_facts())));
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
  EXPECT_THAT(to_html(document_of(report)), Not(HasSubstr("<script")));
  const std::string markdown = to_markdown(document_of(report));
  EXPECT_THAT(markdown, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("@all"))));
}

TEST(BatchReportMarkdown, IsShortAtFirstAndFoldsTheRest) {
  const std::string text = to_markdown(document_of(report_of(ToldBatch(), told_facts())));
  const std::string shown = text.substr(0, text.find("<details>"));
  EXPECT_THAT(shown, AllOf(HasSubstr("### Batch night: 1 improvement holds over the whole batch"),
                           HasSubstr("| gemm | time 50.00 % lower (2.00 times as good) |"),
                           HasSubstr("6 studies: 1 running, 1 waiting, 3 completed, 1 failed.")));
  EXPECT_THAT(shown, Not(HasSubstr("SIGSEGV")));
  EXPECT_THAT(text, AllOf(HasSubstr("- gemm, trial 17: `TILE=4`"),
                          HasSubstr("<summary>What failed, and how</summary>"),
                          HasSubstr("| gemm | crashed | 20 |")));
}

}  // namespace
}  // namespace nightshift::tools
