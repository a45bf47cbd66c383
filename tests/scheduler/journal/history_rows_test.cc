// A row that was changed, lost, or put there from another study is refused by whoever reads it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <functional>

#include "scheduler/errors.h"
#include "scheduler/journal/file/sqlite_statement.h"
#include "scheduler/journal/sqlite_journal.h"
#include "scheduler/journal/sqlite_schema.h"
#include "scheduler/journal/study_outline.h"
#include "tests/scheduler/journal/earlier_journal.h"
#include "tests/scheduler/sample_study.h"

namespace nightshift::scheduler {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using tests::ScratchFolder;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const JournalError& error) {
    return error.what();
  }
  return "no error";
}

std::string load_error(const std::string& folder) {
  return error_of([&] { load_history(folder, Detail::kFull); });
}

std::unique_ptr<SqliteJournal> make_study(const std::string& folder) {
  return SqliteJournal::create(folder, tests::sample_header(), tests::sample_problem());
}

void execute(const std::string& folder, const char* sql) {
  sqlite3* handle = nullptr;
  sqlite3_open((folder + "/journal.sqlite").c_str(), &handle);
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, &message), SQLITE_OK) << message;
  sqlite3_free(message);
  sqlite3_close(handle);
}

// All rows of all tables that are there.
std::string rows_of(const std::string& folder) {
  SqliteDatabase database(kStudyJournal, folder, folder + "/journal.sqlite",
                          SqliteDatabase::Access::kRead);
  std::string rows;
  for (const TableDefinition& table : kTables) {
    const std::string name = table.name;
    if (database.text(("SELECT name FROM sqlite_schema WHERE name = '" + name + "'").c_str())
            .empty()) {
      continue;
    }
    rows += name + " " +
            database.text(("SELECT count(*) || ' ' || total(check_sum) FROM " + name).c_str()) +
            "\n";
  }
  return rows;
}

class TwoStudies : public ::testing::Test {
 protected:
  void make(const std::string& name) const {
    const auto journal = make_study(scratch_ / name);
    for (std::uint64_t id = 1; id <= 4; ++id) tests::write_sample_trial(*journal, id);
    journal->end_turn();
  }
  // Puts a row of one study into the journal of another one of the same problem.
  void replace(const std::string& row) const {
    execute(scratch_ / "study",
            ("ATTACH '" + (scratch_ / "other/journal.sqlite") + "' AS other; REPLACE INTO " + row)
                .c_str());
  }

  const ScratchFolder scratch_;
};

TEST_F(TwoStudies, ARowOfTheOtherIsRefused) {
  make("study");
  make("other");
  for (const std::string table : {"outcomes", "proposals"}) {
    replace(table + " SELECT * FROM other." + table + " WHERE trial = 3");
    EXPECT_THAT(load_error(scratch_ / "study"), HasSubstr("trial 3 does not fit its check sum"));
  }
}

TEST_F(TwoStudies, ASealOfTheOtherIsRefused) {
  make("study");
  make("other");
  replace("seal SELECT * FROM other.seal");
  EXPECT_THAT(load_error(scratch_ / "study"), HasSubstr("does not fit its check sum"));
}

struct Change {
  const char* name;
  const char* sql;
  const char* error;             // without a seal; empty: nothing tells it
  const char* sealed = nullptr;  // what the seal says, where it says it first
};
void PrintTo(const Change& change, std::ostream* out) { *out << change.name; }

class ChangedByHand : public ::testing::TestWithParam<Change> {
 protected:
  ChangedByHand() {
    const auto journal = make_study(study_);
    for (std::uint64_t id = 1; id <= 15; ++id) tests::write_sample_trial(*journal, id);
    journal->end_turn();
  }

  const ScratchFolder scratch_;
  const std::string study_ = scratch_ / "study";
};

TEST_P(ChangedByHand, IsRefusedByName) {
  ASSERT_EQ(load_error(study_), "no error");
  execute(study_, GetParam().sql);
  const std::string error = GetParam().sealed ? GetParam().sealed : GetParam().error;
  EXPECT_THAT(load_error(study_), AllOf(HasSubstr("not as it was written"), HasSubstr(error)));
}

// Whatever is left out of what is read.
TEST_P(ChangedByHand, IsRefusedByAllThatReadIt) {
  execute(study_, GetParam().sql);
  for (const Detail detail : {Detail::kHead, Detail::kTrials}) {
    EXPECT_THAT(error_of([&] { load_history(study_, detail); }),
                HasSubstr("not as it was written"));
  }
  EXPECT_THAT(error_of([&] { load_outline(study_); }), HasSubstr("not as it was written"));
}

TEST_P(ChangedByHand, IsNotWrittenTo) {
  execute(study_, GetParam().sql);
  const std::string rows = rows_of(study_);
  EXPECT_THAT(error_of([&] { SqliteJournal::open(study_); }), HasSubstr("not as it was written"));
  EXPECT_EQ(rows_of(study_), rows);
}

TEST_P(ChangedByHand, IsRefusedInAJournalOfAnEarlierVersion) {
  tests::make_unsealed(kStudyJournal, study_);
  ASSERT_EQ(load_error(study_), "no error");
  execute(study_, GetParam().sql);
  EXPECT_THAT(load_error(study_),
              *GetParam().error == '\0' ? HasSubstr("no error") : HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    History, ChangedByHand,
    ::testing::Values(
        Change{"value", "UPDATE outcomes SET value = 0.001 WHERE trial = 9",
               "outcome of trial 9 does not fit"},
        Change{"outcome", "UPDATE outcomes SET outcome = '{}' WHERE trial = 4",
               "outcome of trial 4 does not fit"},
        Change{"configuration", "UPDATE proposals SET configuration = '{}' WHERE trial = 7",
               "trial 7 does not fit"},
        Change{"verdict", "UPDATE verdicts SET verdict = 'accept'", "does not fit"},
        Change{"evidence", "UPDATE verdicts SET evidence = '{}' WHERE confirmation = 2",
               "does not fit"},
        Change{"purpose", "UPDATE confirmations SET purpose = 'hold-out' WHERE confirmation = 1",
               "does not fit"},
        Change{"lost_confirmation", "DELETE FROM confirmations WHERE confirmation = 1",
               "is out of order", "rows of the table confirmations are missing"},
        Change{"last_confirmation", "DELETE FROM confirmations WHERE confirmation = 3",
               "events are missing", "rows of the table confirmations are missing"},
        Change{"problem", "UPDATE study SET problem_text = ''", "study sample does not fit"},
        Change{"proposal", "DELETE FROM proposals WHERE trial = 3", "outcome of trial 3 belongs",
               "rows of the table proposals are missing: it has 14, and 15 were written"},
        Change{"last_trial",
               "DELETE FROM outcomes WHERE trial = 15; DELETE FROM proposals WHERE trial = 15",
               "change 15 belongs to a trial that is missing",
               "rows of the table proposals are missing"},
        Change{"lost_outcome", "DELETE FROM outcomes WHERE trial = 3", "events are missing",
               "rows of the table outcomes are missing"},
        Change{"lost_verdict", "DELETE FROM verdicts WHERE confirmation = 1", "events are missing",
               "rows of the table verdicts are missing"},
        Change{"lost_remark", "DELETE FROM remarks WHERE remark = 1", "remark 2 is out of order",
               "rows of the table remarks are missing"},
        Change{"all_remarks", "DELETE FROM remarks", "", "rows of the table remarks are missing"},
        Change{"lost_change", "DELETE FROM changes WHERE change = 5", "change 6 is out of order",
               "rows of the table changes are missing"},
        Change{"all_changes", "DELETE FROM changes", "",
               "rows of the table changes are missing: it has 0, and 15 were written"},
        Change{"last_change", "DELETE FROM changes WHERE change = 15", "",
               "rows of the table changes are missing"},
        Change{"change", "UPDATE changes SET detail = 'another' WHERE change = 3",
               "change 3 does not fit"},
        Change{"gap_of_changes", "UPDATE changes SET change = 99 WHERE change = 15",
               "change 99 does not fit", "rows of the table changes are out of order"},
        Change{"lost_fact", "DELETE FROM environment WHERE position = 2", "fact 3 is out of order"},
        Change{"lost_study", "DELETE FROM study", "what is studied"},
        Change{"first_objective", "DELETE FROM objectives WHERE position = 0",
               "objective 1 is out of order"},
        Change{"last_objective", "DELETE FROM objectives WHERE position = 1",
               "rows of the table objectives are missing"},
        Change{"all_objectives", "DELETE FROM objectives",
               "rows of the table objectives are missing"},
        Change{"first_parameter", "DELETE FROM parameters WHERE position = 0",
               "row of the table parameters, 1 is out of order"},
        Change{"last_parameter", "DELETE FROM parameters WHERE position = 1",
               "rows of the table parameters are missing"},
        Change{"all_parameters", "DELETE FROM parameters",
               "rows of the table parameters are missing"},
        Change{"parameter", "UPDATE parameters SET \"values\" = '[1]' WHERE position = 0",
               "row of the table parameters, 0 does not fit"},
        Change{"constraints", "DELETE FROM constraints",
               "rows of the table constraints are missing"},
        Change{"constraint", "UPDATE constraints SET expression = '1'",
               "row of the table constraints, 0 does not fit"},
        Change{"counts", "DELETE FROM environment WHERE name = 'rows of objectives'",
               "facts on the machine"},
        Change{"runs", "DELETE FROM runs", "rows of the table runs are missing",
               "rows of the table runs are missing"},
        Change{"lost_table", "DROP TABLE remarks", "table remarks is missing"},
        Change{"other_table", "ALTER TABLE runs ADD COLUMN mood TEXT",
               "table runs is missing or has changed"}));

}  // namespace
}  // namespace nightshift::scheduler
