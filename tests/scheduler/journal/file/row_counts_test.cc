#include "scheduler/journal/file/row_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "scheduler/errors.h"
#include "scheduler/journal/batch_schema.h"
#include "scheduler/journal/file/journal_database.h"
#include "scheduler/journal/file/journal_turn.h"
#include "tests/scheduler/sample_study.h"

namespace nightshift::scheduler {
namespace {

using ::testing::HasSubstr;

// A batch's journal with two events and a device.
class RowCountsTest : public ::testing::Test {
 protected:
  RowCountsTest() {
    publish_database(kBatchJournal, draft_database(kBatchJournal, folder_), folder_,
                     FileSystemKind::kLocal);
    database_ = open_for_writing(kBatchJournal, folder_, FileSystemKind::kLocal);
    JournalTurn turn(kBatchJournal, *database_, JournalTurn::Failure::kOnce);
    turn.write([&] {
      event(turn.counts());
      event(turn.counts());
      device("gpu");
      turn.counts().set("devices", 1);
    });
    turn.end();
  }
  void event(RowCounts& counts) const {
    SqliteStatement row(*database_, "INSERT INTO events VALUES(?,?,?,?,?,?)");
    row.bind(counts.add("events")).bind("one").bind("begun").bind("it began").bind_real(1);
    row.insert_row();
  }
  void device(const char* uuid) const {
    SqliteStatement row(*database_, "REPLACE INTO devices VALUES(?,?,?,?,?,?)");
    row.bind(uuid).bind("model").bind("").bind("").bind_real(0).insert_row();
  }
  std::string error() const {
    try {
      expect_row_counts(kBatchJournal, *database_);
      return "no error";
    } catch (const JournalError& error) {
      return error.what();
    }
  }
  std::string error_after(const char* sql) const {
    database_->execute(sql);
    return error();
  }

  tests::ScratchFolder scratch_;
  std::string folder_ = scratch_ / ".";
  std::unique_ptr<SqliteDatabase> database_;
};

TEST_F(RowCountsTest, WhatWasWrittenIsThere) { EXPECT_EQ(error(), "no error"); }

TEST_F(RowCountsTest, ALastRowThatIsGoneIsMissed) {
  EXPECT_THAT(error_after("DELETE FROM events WHERE event = 2"),
              HasSubstr("rows of the table events are missing: it has 1, and 2 were written"));
}

TEST_F(RowCountsTest, ATableThatWasEmptiedIsMissed) {
  EXPECT_THAT(error_after("DELETE FROM devices"),
              HasSubstr("rows of the table devices are missing: it has 0, and 1 were written"));
}

TEST_F(RowCountsTest, AGapIsMissedWhereTheirNumberIsRight) {
  EXPECT_THAT(error_after("UPDATE events SET event = 3 WHERE event = 2"),
              HasSubstr("rows of the table events are out of order"));
}

TEST_F(RowCountsTest, ARowTooManyIsNoticed) {
  device("other");
  EXPECT_THAT(error(), HasSubstr("rows of the table devices are not of this journal"));
}

TEST_F(RowCountsTest, ASealThatIsGoneOrChangedIsNoticed) {
  EXPECT_THAT(error_after("UPDATE seal SET rows = replace(rows, ':2', ':1')"),
              HasSubstr("seal 1 does not fit its check sum"));
  EXPECT_THAT(error_after("DELETE FROM seal"), HasSubstr("its seal is missing"));
}

TEST_F(RowCountsTest, ATurnThatFailedCountsNothing) {
  JournalTurn turn(kBatchJournal, *database_, JournalTurn::Failure::kOnce);
  EXPECT_THROW(turn.write([&] {
    event(turn.counts());
    database_->execute("no such thing");
  }),
               JournalError);
  turn.write([&] { event(turn.counts()); });
  turn.end();
  EXPECT_EQ(error(), "no error");
  EXPECT_EQ(database_->number("SELECT max(event) FROM events"), 3U);
}

TEST_F(RowCountsTest, EachJournalHasANumberOfItsOwn) {
  const auto other = draft_database(kBatchJournal, scratch_ / ".");
  EXPECT_NE(other->origin(), database_->origin());
  EXPECT_NE(other->first_sum(), database_->first_sum());
}

}  // namespace
}  // namespace nightshift::scheduler
