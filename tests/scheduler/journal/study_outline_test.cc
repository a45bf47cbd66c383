#include "scheduler/journal/study_outline.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "scheduler/errors.h"
#include "scheduler/journal/sqlite_journal.h"
#include "scheduler/summary/summary.h"
#include "tests/scheduler/sample_study.h"

namespace nightshift::scheduler {
namespace {

using tests::ScratchFolder;

// Trials 1 to 16 of the sample study, of which the last has not ended.
void write_sample(const std::string& folder) {
  const auto journal =
      SqliteJournal::create(folder, tests::sample_header(), tests::sample_problem());
  for (std::uint64_t id = 1; id <= 16; ++id) {
    ProposedTrial trial = tests::sample_proposal(id);
    trial.confirmation = {};
    trial.candidate = {};
    journal->propose(trial, 1e9);
    if (id < 16) journal->finish(tests::sample_result(id));
  }
  ConfirmationSetup setup;
  setup.id = search::ConfirmationId{1};
  setup.candidate = search::TrialId{9};
  setup.devices = {"node/cpu:1"};
  journal->open(setup, 1e9 + 50);
  ConfirmationVerdict verdict;
  verdict.id = setup.id;
  verdict.candidate = setup.candidate;
  verdict.verdict.acceptance = search::Accept{"it is"};
  verdict.verdict.ratio = 0.75;
  journal->verdict(verdict, 1e9 + 60);
  journal->remark("notice", "others are there", 1e9 + 61);
  journal->commit_durably();
}

TEST(StudyOutlineTest, CountsAsTheSummaryDoes) {
  const ScratchFolder scratch;
  write_sample(scratch / "study");
  const StudyOutline outline = load_outline(scratch / "study");
  const History history = load_history(scratch / "study", Detail::kTrials);
  const StudySummary summary = summarise(history, tests::sample_problem());
  EXPECT_EQ(outline.evaluations, summary.evaluations);
  EXPECT_EQ(outline.measured, summary.measured);
  EXPECT_EQ(outline.skipped, summary.skipped);
  std::uint64_t failed = 0;
  for (const std::uint64_t count : summary.failed) failed += count;
  EXPECT_EQ(outline.failed, failed);
  EXPECT_GT(outline.failed, 0u);
  EXPECT_EQ(outline.in_flight, 1u);
  ASSERT_TRUE(outline.best);
  EXPECT_EQ(*outline.best, 1 / 1.1);
}

TEST(StudyOutlineTest, HasAllOfTheHistoryButTrials) {
  const ScratchFolder scratch;
  write_sample(scratch / "study");
  const History whole = load_history(scratch / "study", Detail::kTrials);
  const StudyOutline outline = load_outline(scratch / "study");
  const History& head = outline.history;
  EXPECT_TRUE(head.trials.empty());
  EXPECT_TRUE(head.events.empty());
  EXPECT_EQ(head.header.problem_name, whole.header.problem_name);
  EXPECT_EQ(head.objectives.size(), whole.objectives.size());
  ASSERT_EQ(head.verdicts.size(), 1u);
  EXPECT_EQ(head.verdicts[0].verdict.ratio, 0.75);
  EXPECT_EQ(head.confirmations.size(), whole.confirmations.size());
  EXPECT_EQ(head.remarks.size(), whole.remarks.size());
  EXPECT_EQ(head.status, whole.status);
  EXPECT_EQ(head.run_seconds, whole.run_seconds);
  EXPECT_EQ(head.runs, whole.runs);
}

TEST(StudyOutlineTest, IsReadBesideItsWriter) {
  const ScratchFolder scratch;
  const auto journal =
      SqliteJournal::create(scratch / "study", tests::sample_header(), tests::sample_problem());
  const StudyOutline outline = load_outline(scratch / "study");
  EXPECT_TRUE(outline.history.writer);
  EXPECT_EQ(outline.evaluations, 0u);
  EXPECT_FALSE(outline.best);
}

TEST(StudyOutlineTest, OfNothingIsAnError) {
  const ScratchFolder scratch;
  EXPECT_THROW(load_outline(scratch / "nothing"), JournalError);
}

}  // namespace
}  // namespace nightshift::scheduler
