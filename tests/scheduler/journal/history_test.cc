#include "scheduler/journal/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>
#include <utility>

#include "scheduler/clock.h"
#include "scheduler/errors.h"
#include "scheduler/journal/file/journal_lock.h"
#include "scheduler/journal/file/sqlite_statement.h"
#include "scheduler/journal/sqlite_journal.h"
#include "scheduler/journal/sqlite_schema.h"
#include "tests/scheduler/journal/earlier_journal.h"
#include "tests/scheduler/sample_study.h"

namespace nightshift::scheduler {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using tests::events_of;
using tests::ScratchFolder;
using tests::text_of;

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

std::set<std::string> files_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.insert(fmt::format("{} {}", entry.path().filename().string(), entry.file_size()));
  }
  return names;
}

// A study as a killed run leaves it: five trials in the main file, `more` in the log.
void leave_killed_study(const std::string& folder, std::uint64_t more) {
  const pid_t child = fork();
  if (child == 0) {
    auto journal = make_study(folder);
    for (std::uint64_t id = 1; id <= 5; ++id) tests::write_sample_trial(*journal, id);
    journal->end_turn();
    journal = nullptr;
    journal = SqliteJournal::open(folder);
    for (std::uint64_t id = 6; id < 6 + more; ++id) tests::write_sample_trial(*journal, id);
    journal->end_turn();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
}

TEST(History, ATrialInFlightHasNoResult) {
  const ScratchFolder scratch;
  const auto journal = make_study(scratch / "study");
  tests::write_sample_trial(*journal, 1);
  journal->propose(tests::sample_proposal(2), 2);
  journal->note({2}, TrialState::kBuilding, 1, "", "", 3);
  journal->end_turn();
  const History history = load_history(scratch / "study", Detail::kFull);
  ASSERT_EQ(history.trials.size(), 2U);
  EXPECT_TRUE(history.trials[0].finished);
  EXPECT_FALSE(history.trials[1].finished);
  EXPECT_EQ(history.trials[1].changes.size(), 1U);
  EXPECT_EQ(history.status, "running");
}

// A run that begins trial 2, as a suspect or not, and dies.
void die_with_a_trial_in_hand(const std::string& folder, bool suspect) {
  const pid_t child = fork();
  if (child == 0) {
    const auto journal = SqliteJournal::open(folder);
    const auto note = [&](TrialState state) {
      journal->note({2}, state, 1, "", "", SystemClock().unix_seconds());
    };
    if (suspect) note(TrialState::kRetry);
    for (const TrialState state :
         {TrialState::kBuilding, TrialState::kBuilt, TrialState::kRunning}) {
      note(state);
    }
    journal->end_turn();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
}

TEST(History, CountsTheRunsThatDiedWithATrialInHand) {
  const ScratchFolder scratch;
  {
    const auto journal = make_study(scratch / "study");
    tests::write_sample_trial(*journal, 1);
    for (const std::uint64_t id : {2, 3}) journal->propose(tests::sample_proposal(id), 2);
    journal->status("interrupted", "", 1);
    journal->end_turn();
  }
  const auto deaths = [&] {
    const auto journal = SqliteJournal::open(scratch / "study");  // the run that goes on
    const History history = load_history(scratch / "study", Detail::kTrials);
    EXPECT_EQ(history.trials[2].deaths, 0U);
    EXPECT_EQ(history.trials[1].deaths,
              load_history(scratch / "study", Detail::kFull).trials[1].deaths);
    journal->status("interrupted", "", 1);
    journal->end_turn();
    return std::pair(history.deaths, history.trials[1].deaths);
  };
  EXPECT_EQ(deaths(), std::pair(0, 0U));
  for (unsigned died = 1; died <= 2; ++died) {
    die_with_a_trial_in_hand(scratch / "study", false);
    EXPECT_EQ(deaths(), std::pair(static_cast<int>(died), died));
  }
  die_with_a_trial_in_hand(scratch / "study", false);
  EXPECT_EQ(deaths(), std::pair(3, 2U)) << "it was not alone";
  die_with_a_trial_in_hand(scratch / "study", true);
  EXPECT_EQ(deaths(), std::pair(4, 3U));
}

TEST(History, EventsStandInTheOrderInWhichTheyHappened) {
  const ScratchFolder scratch;
  const auto journal = make_study(scratch / "study");
  const ConfirmationVerdict verdict{{1}, {2}, tests::sample_verdict(1)};
  for (std::uint64_t id = 1; id <= 3; ++id) journal->propose(tests::sample_proposal(id), 1);
  journal->finish(tests::sample_result(3));
  journal->open(tests::sample_setup(1), 2);
  journal->verdict(verdict, 2);
  journal->finish(tests::sample_result(1));
  journal->end_turn();
  const std::vector<std::string> expected = {"proposed " + text_of(tests::sample_proposal(1)),
                                             "proposed " + text_of(tests::sample_proposal(2)),
                                             "proposed " + text_of(tests::sample_proposal(3)),
                                             "finished " + text_of(tests::sample_result(3)),
                                             "opened " + text_of(tests::sample_setup(1)),
                                             "verdict " + text_of(verdict),
                                             "finished " + text_of(tests::sample_result(1))};
  EXPECT_EQ(events_of(load_history(scratch / "study", Detail::kTrials)), expected);
}

TEST(History, AKilledRunLastedUntilTheLastThingItWrote) {
  const ScratchFolder scratch;
  {
    const auto journal = make_study(scratch / "study");  // started at 1e9
    tests::write_sample_trial(*journal, 41);             // finished at 1e9 + 41.5
    journal->end_turn();
  }
  EXPECT_NEAR(load_history(scratch / "study", Detail::kTrials).run_seconds, 41.5, 1e-6);
}

TEST(History, ReadsBesideAWriterWithoutDisturbingIt) {
  const ScratchFolder scratch;
  const auto journal = make_study(scratch / "study");
  std::size_t seen = 0;
  for (std::uint64_t id = 1; id <= 20; ++id) {
    tests::write_sample_trial(*journal, id);
    if (id % 3 == 0) journal->end_turn();
    const pid_t child = fork();
    if (child == 0) {
      const std::size_t read = load_history(scratch / "study", Detail::kFull).trials.size();
      _exit(static_cast<int>(read));
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    seen = static_cast<std::size_t>(WEXITSTATUS(status));
    ASSERT_EQ(seen, id / 3 * 3);
  }
  journal->end_turn();
  const History history = load_history(scratch / "study", Detail::kFull);
  EXPECT_EQ(history.trials.size(), 20U);
  EXPECT_EQ(history.writer, ipc::this_process());
}

TEST(History, ReadingAnEndedStudyLeavesTheFolderAsItWas) {
  const ScratchFolder scratch;
  tests::write_sample_trial(*make_study(scratch / "study"), 1);
  const std::set<std::string> before = files_in(scratch / "study");
  load_history(scratch / "study", Detail::kFull);
  EXPECT_EQ(files_in(scratch / "study"), before);
}

TEST(History, NobodyWritesAStudyWhoseRunHasEnded) {
  const ScratchFolder scratch;
  make_study(scratch / "study");
  const History history = load_history(scratch / "study", Detail::kTrials);
  EXPECT_EQ(history.status, "running") << "as of a run that was killed";
  EXPECT_EQ(history.writer, std::nullopt);
}

TEST(History, AFolderWhoseNameMeansSomethingInAUriIsRead) {
  const ScratchFolder scratch;
  const std::string folder = scratch / "100% sure? #1 & more";
  make_study(folder);
  EXPECT_EQ(load_error(folder), "no error");
}

TEST(History, AKilledStudyIsReadWithItsLog) {
  const ScratchFolder scratch;
  leave_killed_study(scratch / "study", 4);
  EXPECT_EQ(load_history(scratch / "study", Detail::kFull).trials.size(), 9U);
  EXPECT_EQ(load_history(scratch / "study", Detail::kFull).runs, 2);
}

TEST(History, SaysWhatIsMissing) {
  const ScratchFolder scratch;
  EXPECT_THAT(load_error(scratch / "nowhere"),
              AllOf(HasSubstr("holds no study"), HasSubstr("nightshift tune")));
  fs::create_directories(scratch / "empty");
  EXPECT_THAT(load_error(scratch / "empty"), HasSubstr("holds no study"));
  EXPECT_THAT(error_of([&] { SqliteJournal::open(scratch / "empty"); }),
              HasSubstr("holds no study"));
  EXPECT_TRUE(files_in(scratch / "empty").empty());
}

TEST(History, AnEmptyMainFileIsDamageAndItsLogIsKept) {
  const ScratchFolder scratch;
  leave_killed_study(scratch / "study", 4);
  fs::resize_file(scratch / "study/journal.sqlite", 0);
  const std::set<std::string> before = files_in(scratch / "study");
  EXPECT_THAT(load_error(scratch / "study"), HasSubstr("damaged"));
  EXPECT_THAT(error_of([&] { SqliteJournal::open(scratch / "study"); }), HasSubstr("damaged"));
  const std::set<std::string> after = files_in(scratch / "study");
  for (const std::string& file : before) {
    if (file.starts_with("journal.lock")) continue;  // holds the last one's process id
    EXPECT_TRUE(after.contains(file)) << file;
  }
}

TEST(History, OtherFilesAreNoJournal) {
  const ScratchFolder scratch;
  fs::create_directories(scratch / "text");
  std::ofstream(scratch / "text/journal.sqlite") << std::string(5000, 'x');
  EXPECT_THAT(load_error(scratch / "text"), AllOf(HasSubstr("damaged"), HasSubstr(".recover")));
  fs::create_directories(scratch / "other");
  execute(scratch / "other", "CREATE TABLE cats(name)");
  EXPECT_THAT(load_error(scratch / "other"), HasSubstr("no journal"));
}

TEST(History, ANewerJournalIsLeftToItsVersion) {
  const ScratchFolder scratch;
  make_study(scratch / "study");
  execute(scratch / "study", "PRAGMA user_version=99");
  EXPECT_THAT(load_error(scratch / "study"), HasSubstr("newer version of Nightshift"));
  EXPECT_THAT(error_of([&] { SqliteJournal::open(scratch / "study"); }), HasSubstr("newer"));
}

TEST(History, ObjectivesComeBackWhole) {
  const ScratchFolder scratch;
  make_study(scratch / "study");
  EXPECT_EQ(load_history(scratch / "study", Detail::kTrials).objectives,
            tests::sample_problem().objectives);
}

TEST(History, AnOlderJournalIsLeftToItsVersion) {
  const ScratchFolder scratch;
  make_study(scratch / "study");
  execute(scratch / "study", "PRAGMA user_version=1");
  const auto explained = AllOf(HasSubstr("earlier version of Nightshift (journal version 1, this "
                                         "one reads 3)"),
                               HasSubstr("start a new study"));
  EXPECT_THAT(load_error(scratch / "study"), explained);
  EXPECT_THAT(error_of([&] { SqliteJournal::open(scratch / "study"); }), explained);
  execute(scratch / "study", "PRAGMA user_version=0");
  EXPECT_THAT(load_error(scratch / "study"), HasSubstr("version is unknown"));
}

// Earlier versions did not write how many rows the tables of the problem have.
TEST(History, AJournalWithoutCountsOfItsRowsIsReadAndStillNeedsAnObjective) {
  const ScratchFolder scratch;
  make_study(scratch / "study");
  {
    SqliteDatabase database(kStudyJournal, scratch / "study", scratch / "study/journal.sqlite",
                            SqliteDatabase::Access::kReadWrite);
    database.begin_sums_with(database.number("SELECT origin FROM seal"));
    database.execute("DELETE FROM environment WHERE name LIKE 'rows of %'; DELETE FROM study");
    const StudyHeader header = tests::sample_header();
    SqliteStatement study(database, "INSERT INTO study VALUES(?,?,?,?,?,?,?,?)");
    study.bind(header.problem_name).bind(header.problem_file).bind(header.problem_text).bind("[]");
    study.bind(header.device_selection).bind(header.environment.size() + header.identity.size());
    study.bind_real(header.created).insert_row();
  }
  EXPECT_EQ(load_error(scratch / "study"), "no error");
  execute(scratch / "study", "DELETE FROM parameters");
  EXPECT_EQ(load_error(scratch / "study"), "no error") << "nothing tells that there were any";
  execute(scratch / "study", "DELETE FROM objectives");
  EXPECT_THAT(load_error(scratch / "study"), HasSubstr("objectives are missing"));
}

TEST(History, AJournalOfAnEarlierVersionIsReadAndGoesOnAsOne) {
  const ScratchFolder scratch;
  {
    const auto journal = make_study(scratch / "study");
    for (std::uint64_t id = 1; id <= 5; ++id) tests::write_sample_trial(*journal, id);
    journal->end_turn();
  }
  const auto before = events_of(load_history(scratch / "study", Detail::kFull));
  tests::make_unsealed(kStudyJournal, scratch / "study");
  EXPECT_EQ(events_of(load_history(scratch / "study", Detail::kFull)), before);
  {
    const auto journal = SqliteJournal::open(scratch / "study");
    tests::write_sample_trial(*journal, 6);
    journal->end_turn();
  }
  EXPECT_EQ(load_history(scratch / "study", Detail::kFull).trials.size(), 6U);
  EXPECT_EQ(load_history(scratch / "study", Detail::kFull).runs, 2);
}

TEST(History, AFolderInPlaceOfTheFileIsNamed) {
  const ScratchFolder scratch;
  fs::create_directories(scratch / "study/journal.sqlite");
  EXPECT_THAT(load_error(scratch / "study"), HasSubstr("it is a folder where a file should be"));
  EXPECT_THAT(error_of([&] { SqliteJournal::open(scratch / "study"); }),
              HasSubstr("it is a folder where a file should be"));
}

// Of a run that was killed as of one that ended.
TEST(History, RowsOfAKilledStudyAreMissed) {
  const ScratchFolder scratch;
  for (const std::string table : {"changes", "outcomes", "runs"}) {
    const std::string study = scratch / table;
    leave_killed_study(study, 4);
    ASSERT_EQ(load_error(study), "no error");
    execute(study, ("DELETE FROM " + table).c_str());
    EXPECT_THAT(load_error(study), HasSubstr("rows of the table " + table + " are missing"));
  }
}

// The clock was an hour ahead when the first run was killed.
TEST(HistoryDeathTest, ARunThatBeginsWhereTheClockWasSetBackTakesNoTimeOfTheOneBefore) {
  const ScratchFolder scratch;
  const double began = SystemClock().unix_seconds() + 3600;
  {
    StudyHeader header = tests::sample_header();
    header.created = began;
    const auto journal = SqliteJournal::create(scratch / "study", header, tests::sample_problem());
    journal->propose(tests::sample_proposal(1), began + 1);
    journal->propose(tests::sample_proposal(2), began + 41);
    journal->note({2}, TrialState::kBuilding, 1, "", "", began + 42);
    journal->end_turn();
  }
  const auto goes_on = [&] {
    const auto journal = SqliteJournal::open(scratch / "study");
    const History history = load_history(scratch / "study", Detail::kTrials);
    const bool has_times = history.runs == 2 && std::abs(history.run_seconds - 41) < 1e-3;
    const bool has_deaths = history.deaths == 1 && history.trials[1].deaths == 1;
    const bool is_later = SystemClock().unix_seconds() > began + 42;
    return has_times && has_deaths && is_later ? 0 : 1;
  };
  EXPECT_EXIT(std::_Exit(goes_on()), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace nightshift::scheduler
