#include "scheduler/journal/batch_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "scheduler/clock.h"
#include "scheduler/errors.h"
#include "scheduler/journal/batch_schema.h"
#include "scheduler/journal/file/sqlite_statement.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tests/scheduler/journal/earlier_journal.h"
#include "tests/scheduler/sample_study.h"

namespace nightshift::scheduler {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using tests::ScratchFolder;

BatchStudyTerms terms(const std::string& name) {
  BatchStudyTerms terms;
  terms.name = name;
  terms.problem = "/somewhere/problem \"x\".toml";
  terms.overrides = {{"budget.trials", "40"}, {"host.sizes.N", "512"}};
  terms.weight = 2.5;
  terms.devices_most = 3;
  terms.after = {"other"};
  terms.patience = 7;
  terms.warm_start = false;
  terms.deadline_seconds = 3600;
  terms.added = true;
  return terms;
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const JournalError& error) {
    return error.what();
  }
  return "no error";
}

class BatchJournalTest : public ::testing::Test {
 protected:
  std::string folder() const { return scratch_ / "night"; }
  void write_rows() const {
    BatchJournal journal(folder(), "night");
    journal.begin_run(100, 900);
    journal.studies({terms("one"), terms("two")});
    journal.state("one", BatchStudyState::kWaiting, "", {}, 100);
    journal.state("one", BatchStudyState::kRunning, "begins", {}, 101);
    journal.state("one", BatchStudyState::kCompleted, "", {}, 103);
    journal.lease("one", "node/cpu:1", LeaseKind::kOwner, 101);
    journal.event({102, "one", "accepted", "trial 3 accepted"});
    journal.commit();
    ask(folder(), {BatchRequest::Kind::kPause, {}, {"one"}, 0, 0});
    journal.answer(ask(folder(), {BatchRequest::Kind::kGoOn, {}, {"one"}, 0, 0}), "it does", 104);
    journal.commit();
  }
  void execute(const std::string& sql) const {
    SqliteDatabase(kBatchJournal, folder(), kBatchJournal.file_in(folder()),
                   SqliteDatabase::Access::kReadWrite)
        .execute(sql.c_str());
  }
  ScratchFolder scratch_;
};

TEST_F(BatchJournalTest, WhatWasWrittenIsReadWhileItRuns) {
  BatchJournal journal(folder(), "night");
  journal.begin_run(100, 900);
  journal.studies({terms("one"), terms("two")});
  journal.state("one", BatchStudyState::kWaiting, "", {}, 100);
  journal.state("one", BatchStudyState::kRunning, "begins", {}, 101);
  journal.device({"node/cpu:1", "a core", "one", "measuring trial 3", 12.5});
  journal.lease("one", "node/cpu:1", LeaseKind::kOwner, 101);
  journal.lease("one", "node/cpu:2", LeaseKind::kGuest, 110);
  journal.lease("one", "node/cpu:2", LeaseKind::kNone, 115);
  journal.progress("one", {17, 15, 2, 1, "exploring", 0.8, 0.9, 14, 60, 0.25, 116});
  journal.event({116, "one", "accepted", "trial 3 accepted"});
  journal.commit();

  const BatchRecord record = load_batch(folder());
  EXPECT_EQ(record.name, "night");
  EXPECT_TRUE(record.writer);
  ASSERT_THAT(record.studies, SizeIs(2));
  const BatchStudyRecord& one = record.studies[0];
  EXPECT_EQ(one.terms.problem, terms("one").problem);
  EXPECT_EQ(one.terms.overrides, terms("one").overrides);
  EXPECT_EQ(one.terms.weight, 2.5);
  EXPECT_EQ(one.terms.devices_least, 1);
  EXPECT_EQ(one.terms.devices_most, 3);
  EXPECT_THAT(one.terms.after, ElementsAre("other"));
  EXPECT_EQ(one.terms.patience, 7);
  EXPECT_FALSE(one.terms.warm_start);
  EXPECT_EQ(one.terms.deadline_seconds, 3600);
  EXPECT_TRUE(one.terms.added);
  EXPECT_EQ(one.state, BatchStudyState::kRunning);
  EXPECT_EQ(one.began, 101);
  EXPECT_EQ(one.progress->trials, 17U);
  EXPECT_EQ(one.progress->best, 0.8);
  EXPECT_EQ(one.progress->limit, 60);
  EXPECT_EQ(record.studies[1].state, BatchStudyState::kWaiting);
  ASSERT_THAT(record.leases, SizeIs(2));
  EXPECT_FALSE(record.leases[0].until);
  EXPECT_TRUE(record.leases[1].guest);
  EXPECT_EQ(record.leases[1].until, 115);
  ASSERT_THAT(record.devices, SizeIs(1));
  EXPECT_EQ(record.devices[0].study, "one");
  ASSERT_THAT(record.runs, SizeIs(1));
  EXPECT_EQ(record.runs[0].deadline, 900);
  EXPECT_FALSE(record.runs[0].ended);
  ASSERT_THAT(record.events, SizeIs(1));
  EXPECT_EQ(record.events[0].text, "trial 3 accepted");
}

TEST_F(BatchJournalTest, AClaimStandsWithTheEndOfItsStudy) {
  {
    BatchJournal journal(folder(), "night");
    journal.studies({terms("one")});
    journal.state("one", BatchStudyState::kRunning, "", {}, 10);
    journal.state("one", BatchStudyState::kCompleted, "its budget is used up",
                  BatchClaim{0.7, {0.69, 0.71, 0.99}, 1e-9, 0.005}, 20);
    journal.commit();
  }
  const BatchStudyRecord one = load_batch(folder()).studies.at(0);
  EXPECT_EQ(one.state, BatchStudyState::kCompleted);
  EXPECT_EQ(one.ended, 20);
  ASSERT_TRUE(one.claim);
  EXPECT_EQ(one.claim->ratio, 0.7);
  EXPECT_EQ(one.claim->interval.high, 0.71);
  EXPECT_EQ(one.claim->p_value, 1e-9);
  EXPECT_NEAR(one.claim->level, 0.005, 1e-12);
  EXPECT_DOUBLE_EQ(one.claim->interval.confidence, 0.99);
  // Earlier versions wrote the problem's level, whatever the interval was.
  execute("PRAGMA user_version=2");
  EXPECT_EQ(load_batch(folder()).studies.at(0).claim->interval.confidence, 0.95);
}

// The lock is gone, and nothing was written down: as after SIGKILL.
TEST_F(BatchJournalTest, WhatRanWhenItWasCutOffDoesNotRunAnyMore) {
  {
    BatchJournal journal(folder(), "night");
    journal.begin_run(1, {});
    journal.studies({terms("one")});
    journal.state("one", BatchStudyState::kRunning, "", {}, 10);
    journal.lease("one", "gpu", LeaseKind::kOwner, 10);
    journal.device({"gpu", "a GPU", "one", "measuring", 1});
    journal.event({30, "one", "notice", "something"});
    journal.commit();
  }
  const BatchRecord record = load_batch(folder());
  EXPECT_FALSE(record.writer);
  EXPECT_EQ(record.studies.at(0).state, BatchStudyState::kInterrupted);
  EXPECT_EQ(record.studies.at(0).ended, 30);
  EXPECT_EQ(record.leases.at(0).until, 30);
  EXPECT_EQ(record.devices.at(0).study, "");
}

TEST_F(BatchJournalTest, ASecondRunIsRefused) {
  const BatchJournal journal(folder(), "night");
  const std::string refused = error_of([&] { BatchJournal second(folder(), "night"); });
  EXPECT_THAT(refused, HasSubstr("another run is writing the batch"));
  EXPECT_THAT(refused, HasSubstr("--batch"));
}

TEST_F(BatchJournalTest, RequestsOfOthersAreReadOnceAndAnswered) {
  BatchJournal journal(folder(), "night");
  EXPECT_THAT(journal.requests(), IsEmpty());
  const std::uint64_t add = ask(folder(), {BatchRequest::Kind::kAdd, {terms("three")}, {}, 0, 0});
  const std::uint64_t cancel =
      ask(folder(), {BatchRequest::Kind::kCancel, {}, {"one", "two"}, 0, 0});
  const auto requests = journal.requests();
  ASSERT_THAT(requests, SizeIs(2));
  EXPECT_EQ(requests[0].number, add);
  EXPECT_EQ(requests[0].studies.at(0).name, "three");
  EXPECT_EQ(requests[1].kind, BatchRequest::Kind::kCancel);
  EXPECT_THAT(requests[1].names, ElementsAre("one", "two"));
  EXPECT_THAT(journal.requests(), IsEmpty()) << "nothing new was asked";
  EXPECT_FALSE(answer_to(folder(), cancel));
  journal.answer(cancel, "cancelled", 5);
  journal.commit();
  EXPECT_EQ(answer_to(folder(), cancel), "cancelled");
}

TEST_F(BatchJournalTest, WhatNobodyAnsweredIsMetByTheNextRun) {
  { const BatchJournal journal(folder(), "night"); }
  ask(folder(), {BatchRequest::Kind::kPause, {}, {"one"}, 0, 0});
  BatchJournal journal(folder(), "night");
  EXPECT_THAT(journal.requests(), SizeIs(1));
}

TEST_F(BatchJournalTest, WhereThereIsNoBatchThatIsSaid) {
  EXPECT_FALSE(holds_batch(folder()));
  EXPECT_THAT(error_of([&] { load_batch(folder()); }), HasSubstr("holds no batch"));
  EXPECT_THAT(error_of([&] { ask(folder(), {}); }), HasSubstr("holds no batch"));
}

TEST_F(BatchJournalTest, RowsThatAreGoneAreMissed) {
  for (const std::string gone : {"states WHERE change = 3", "states WHERE change = 1", "events",
                                 "studies WHERE position = 1", "runs", "answers", "leases"}) {
    std::filesystem::remove_all(folder());
    write_rows();
    EXPECT_EQ(error_of([&] { load_batch(folder()); }), "no error");
    execute("DELETE FROM " + gone);
    const std::string table = gone.substr(0, gone.find(' '));
    const auto missed = HasSubstr("rows of the table " + table + " are missing");
    EXPECT_THAT(error_of([&] { load_batch(folder()); }), missed);
    EXPECT_THAT(error_of([&] { BatchJournal(folder(), "night"); }), missed);
  }
}

TEST_F(BatchJournalTest, RequestsThatAreGoneAreMissed) {
  for (const std::string gone : {"request = 1", "request = 2"}) {
    std::filesystem::remove_all(folder());
    write_rows();
    execute("DELETE FROM requests WHERE " + gone);
    EXPECT_THAT(error_of([&] { load_batch(folder()); }),
                HasSubstr("rows of the table requests are missing"));
  }
}

TEST_F(BatchJournalTest, AJournalOfAnEarlierVersionIsReadAndGoesOn) {
  write_rows();
  tests::make_unsealed(kBatchJournal, folder());
  EXPECT_THAT(load_batch(folder()).studies, SizeIs(2));
  {
    BatchJournal journal(folder(), "night");
    journal.event({5, "one", "remark", "it goes on"});
    journal.commit();
  }
  EXPECT_THAT(load_batch(folder()).events, SizeIs(2));
}

TEST_F(BatchJournalTest, AJournalOfAStudyIsNoBatch) {
  std::filesystem::create_directories(folder());
  auto study =
      SqliteJournal::create(scratch_ / "study", tests::sample_header(), tests::sample_problem());
  study.reset();
  std::filesystem::copy_file(scratch_ / "study/journal.sqlite", folder() + "/batch.sqlite");
  EXPECT_THAT(error_of([&] { load_batch(folder()); }), HasSubstr("it is no journal of a batch"));
}

TEST_F(BatchJournalTest, StudiesThatLeftTheBatchAreNotToldOf) {
  BatchJournal journal(folder(), "night");
  journal.studies({terms("one")});
  journal.state("one", BatchStudyState::kCompleted, "", {}, 10);
  journal.studies({terms("other")});
  journal.commit();
  const BatchRecord record = load_batch(folder());
  ASSERT_THAT(record.studies, SizeIs(1));
  EXPECT_EQ(record.studies[0].terms.name, "other");
  EXPECT_EQ(record.studies[0].state, BatchStudyState::kWaiting);
}

// The clock was an hour ahead when the last thing was written.
TEST(BatchJournalDeathTest, TheNextRunHasNoEarlierTimes) {
  const ScratchFolder scratch;
  const double began = SystemClock().unix_seconds() + 3600;
  const auto goes_on = [&] {
    const BatchJournal journal(scratch / "night", "night");
    return SystemClock().unix_seconds() > began + 7 ? 0 : 1;
  };
  {
    BatchJournal journal(scratch / "night", "night");
    journal.begin_run(began, {});
    journal.studies({terms("one")});
    journal.state("one", BatchStudyState::kRunning, "", {}, began + 1);
    journal.lease("one", "node/cpu:1", LeaseKind::kOwner, began + 7);
    journal.commit();
  }
  EXPECT_EXIT(std::_Exit(goes_on()), ::testing::ExitedWithCode(0), "");
}

TEST_F(BatchJournalTest, AFolderThatWasRemovedOrMovedIsSeen) {
  BatchJournal journal(folder(), "night");
  journal.begin_run(100, {});
  journal.expect_in_place();
  std::filesystem::rename(folder(), scratch_ / "friday");
  EXPECT_THAT(error_of([&] { journal.expect_in_place(); }),
              AllOf(HasSubstr("the batch " + folder() + " was removed or moved"),
                    HasSubstr("`nightshift batch run` goes on in its new place")));
  std::filesystem::rename(scratch_ / "friday", folder());
  journal.expect_in_place();
  std::filesystem::remove_all(folder());
  EXPECT_THROW(journal.expect_in_place(), JournalError);
}

}  // namespace
}  // namespace nightshift::scheduler
