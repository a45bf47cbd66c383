#include "scheduler/journal/sqlite_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <limits>

#include "scheduler/errors.h"
#include "scheduler/journal/file/sqlite_statement.h"
#include "scheduler/journal/sqlite_schema.h"
#include "tests/scheduler/sample_study.h"

namespace nightshift::scheduler {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
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

std::unique_ptr<SqliteJournal> make_study(const std::string& folder) {
  return SqliteJournal::create(folder, tests::sample_header(), tests::sample_problem());
}

// What `sqlite3 FILE SQL` prints.
std::vector<std::string> shell(const std::string& folder, const char* sql) {
  sqlite3* handle = nullptr;
  std::vector<std::string> lines;
  sqlite3_open((folder + "/journal.sqlite").c_str(), &handle);
  const auto collect = [](void* out, int columns, char** values, char**) {
    std::string line;
    for (int i = 0; i < columns; ++i) {
      line += (i > 0 ? "|" : "") + std::string(values[i] != nullptr ? values[i] : "");
    }
    static_cast<std::vector<std::string>*>(out)->push_back(line);
    return 0;
  };
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(handle, sql, collect, &lines, &message), SQLITE_OK) << message << sql;
  sqlite3_free(message);
  sqlite3_close(handle);
  return lines;
}

// Nobody would find what is measured from then on.
TEST(SqliteJournal, AJournalThatIsRemovedOrMovedWhileItIsWrittenEndsItsRun) {
  const ScratchFolder scratch;
  for (const bool is_moved : {true, false}) {
    const std::string place = scratch / (is_moved ? "moved" : "gone");
    const auto journal = make_study(place);
    tests::write_sample_trial(*journal, 1);
    journal->end_turn();
    if (is_moved) {
      std::filesystem::rename(place, place + "-2");
    } else {
      std::filesystem::remove_all(place);
    }
    tests::write_sample_trial(*journal, 2);
    for (int turn = 0; turn < 2; ++turn) {
      EXPECT_THAT(
          [&] { turn == 0 ? journal->end_turn() : tests::write_sample_trial(*journal, 3); },
          ThrowsMessage<JournalError>(HasSubstr("was removed or moved while it was written")))
          << place;
    }
    if (!is_moved) continue;
    EXPECT_EQ(load_history(place + "-2", Detail::kFull).trials.size(), 2U) << "all of it is there";
  }
}

TEST(SqliteJournal, EverythingThatIsWrittenIsRead) {
  const ScratchFolder scratch;
  std::vector<std::string> proposed, finished;
  {
    const auto journal = make_study(scratch / "study");
    for (std::uint64_t id = 1; id <= 32; ++id) {
      tests::write_sample_trial(*journal, id);
      proposed.push_back(text_of(tests::sample_proposal(id)));
      finished.push_back(text_of(tests::sample_result(id)));
    }
    journal->status("completed", "the budget is used up", 12.5);
    journal->end_turn();
  }
  const History history = load_history(scratch / "study", Detail::kFull);

  EXPECT_EQ(text_of(history.header), text_of(tests::sample_header()));
  ASSERT_EQ(history.trials.size(), 32U);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(text_of(history.trials[i].proposed), proposed[i]);
    ASSERT_TRUE(history.trials[i].finished);
    EXPECT_EQ(text_of(*history.trials[i].finished), finished[i]);
    EXPECT_EQ(history.trials[i].finished->report, tests::sample_result(i + 1).report);
    ASSERT_EQ(history.trials[i].changes.size(), 1U);
    EXPECT_EQ(history.trials[i].changes[0].state, TrialState::kRunning);
    EXPECT_EQ(history.trials[i].changes[0].device, "node/cpu:1");
    EXPECT_EQ(history.trials[i].changes[0].detail, "detail");
    EXPECT_EQ(history.trials[i].changes[0].at, 1e9 + static_cast<double>(i + 1) + 0.125);
  }
  ASSERT_EQ(history.verdicts.size(), 6U);
  ASSERT_EQ(history.confirmations.size(), 6U);
  for (std::uint64_t id = 1; id <= 6; ++id) {
    EXPECT_EQ(history.confirmations[id - 1], tests::sample_setup(id)) << id;
    EXPECT_EQ(text_of(history.verdicts[id - 1]),
              text_of(ConfirmationVerdict{{id}, {2}, tests::sample_verdict(5 * id)}));
  }
  EXPECT_EQ(history.verdicts[0].verdict.looks, tests::sample_verdict(5).looks);
  EXPECT_EQ(history.verdicts[0].verdict.devices, tests::sample_verdict(5).devices);
  EXPECT_EQ(history.verdicts[0].verdict.shape, tests::sample_verdict(5).shape);
  EXPECT_EQ(search::name_of(history.verdicts[0].verdict.acceptance), "accept");
  EXPECT_EQ(search::name_of(history.verdicts[1].verdict.acceptance), "reject");
  EXPECT_EQ(search::name_of(history.verdicts[2].verdict.acceptance), "undecided");
  ASSERT_EQ(history.remarks.size(), 4U);
  EXPECT_EQ(history.remarks[1].what, "retry");
  EXPECT_EQ(history.remarks[1].detail, "trial 14");
  EXPECT_EQ(history.status, "completed");
  EXPECT_EQ(history.status_reason, "the budget is used up");
  EXPECT_EQ(history.run_seconds, 12.5);
  EXPECT_EQ(history.runs, 1);
}

TEST(SqliteJournal, ChangesAreLeftOutWhereOnlyTrialsAreAskedFor) {
  const ScratchFolder scratch;
  const auto journal = make_study(scratch / "study");
  tests::write_sample_trial(*journal, 1);
  journal->end_turn();
  EXPECT_TRUE(load_history(scratch / "study", Detail::kTrials).trials.at(0).changes.empty());
}

TEST(SqliteJournal, NumbersThatAreNoneAndInfinitiesSurvive) {
  const ScratchFolder scratch;
  const auto journal = make_study(scratch / "study");
  journal->propose(tests::sample_proposal(1), 1);
  FinishedTrial result = tests::sample_result(1);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  result.value = -0.0;
  result.normalised = search::Score{kInfinity, kNan};
  journal->finish(result);
  ConfirmationVerdict verdict{{1}, {1}, {}};
  verdict.verdict.acceptance = search::Undecided{""};
  verdict.verdict.ratio = kNan;
  verdict.verdict.interval = {0, kInfinity};
  verdict.verdict.devices = {{"node/cpu:1", 1, 0, 0.5, kInfinity}};
  journal->verdict(verdict, 2);
  journal->end_turn();

  const History history = load_history(scratch / "study", Detail::kFull);
  const FinishedTrial& read = history.trials.at(0).finished.value();
  EXPECT_EQ(read.value, 0.0);
  EXPECT_EQ(read.normalised.value().value, kInfinity);
  EXPECT_TRUE(std::isnan(read.normalised->standard_error));
  EXPECT_TRUE(std::isnan(history.verdicts.at(0).verdict.ratio));
  EXPECT_EQ(history.verdicts[0].verdict.interval.high, kInfinity);
  EXPECT_EQ(history.verdicts[0].verdict.devices, verdict.verdict.devices);
}

TEST(SqliteJournal, IndicesOfHugeSpacesSurvive) {
  const ScratchFolder scratch;
  std::vector<base::Wide> indices = {0, 1, base::Wide{1} << 127, ~base::Wide{0}};
  for (const int bits : {53, 62, 63, 64}) {
    for (const int step : {-1, 0, 1}) {
      indices.push_back((base::Wide{1} << bits) + static_cast<base::Wide>(step));
    }
  }
  {
    const auto journal = make_study(scratch / "study");
    for (std::size_t n = 0; n < indices.size(); ++n) {
      ProposedTrial trial = tests::sample_proposal(n + 2);
      trial.index = search::ConfigurationIndex{indices[n]};
      journal->propose(trial, 1);
    }
    journal->end_turn();
  }
  const History history = load_history(scratch / "study", Detail::kFull);
  ASSERT_EQ(history.trials.size(), indices.size());
  for (std::size_t n = 0; n < indices.size(); ++n) {
    EXPECT_EQ(history.trials[n].proposed.index, search::ConfigurationIndex{indices[n]})
        << base::to_string(indices[n]);
  }
}

TEST(SqliteJournal, KeepsTheLimitThatATrialIsBeyond) {
  const ScratchFolder scratch;
  const auto journal = make_study(scratch / "study");
  for (const std::uint64_t id : {1, 2}) journal->propose(tests::sample_proposal(id), 1);
  FinishedTrial beyond = tests::sample_result(1);
  beyond.report.outcome = search::Measured{};
  beyond.normalised.reset();
  beyond.beyond_limits = "exceeds limit on error: 0.02 > 0.001";
  journal->finish(beyond);
  FinishedTrial failed = tests::sample_result(2);
  failed.report.outcome = search::BuildFailed{"no"};
  journal->finish(failed);
  journal->end_turn();
  const History history = load_history(scratch / "study", Detail::kFull);
  EXPECT_EQ(history.trials.at(0).finished->beyond_limits, beyond.beyond_limits);
  EXPECT_EQ(history.trials.at(1).finished->beyond_limits, "");
}

TEST(SqliteJournal, CallsBecomeVisibleTogetherAtTheEndOfATurn) {
  const ScratchFolder scratch;
  const auto journal = make_study(scratch / "study");
  tests::write_sample_trial(*journal, 1);
  journal->propose(tests::sample_proposal(2), 2);
  EXPECT_EQ(load_history(scratch / "study", Detail::kFull).trials.size(), 0U);
  journal->end_turn();
  EXPECT_EQ(load_history(scratch / "study", Detail::kFull).trials.size(), 2U);
  journal->propose(tests::sample_proposal(3), 3);
  journal->commit_durably();
  EXPECT_EQ(load_history(scratch / "study", Detail::kFull).trials.size(), 3U);
}

TEST(SqliteJournal, AnOpenTurnIsForgottenWithTheJournal) {
  const ScratchFolder scratch;
  {
    const auto journal = make_study(scratch / "study");
    journal->propose(tests::sample_proposal(1), 1);
    journal->end_turn();
    journal->propose(tests::sample_proposal(2), 2);
  }
  EXPECT_EQ(load_history(scratch / "study", Detail::kFull).trials.size(), 1U);
}

TEST(SqliteJournal, TheSecondRunGoesOnWhereTheFirstOneEnded) {
  const ScratchFolder scratch;
  {
    const auto journal = make_study(scratch / "study");
    for (std::uint64_t id = 1; id <= 5; ++id) tests::write_sample_trial(*journal, id);
    journal->propose(tests::sample_proposal(6), 6);
    journal->status("interrupted", "SIGINT", 3);
    journal->end_turn();
  }
  {
    const auto journal = SqliteJournal::open(scratch / "study");
    EXPECT_EQ(load_history(scratch / "study", Detail::kTrials).status, "running");
    journal->finish(tests::sample_result(6));
    for (std::uint64_t id = 7; id <= 10; ++id) tests::write_sample_trial(*journal, id);
    journal->status("completed", "done", 4);
    journal->end_turn();
  }
  const History history = load_history(scratch / "study", Detail::kFull);
  EXPECT_EQ(history.runs, 2);
  EXPECT_EQ(history.run_seconds, 7);
  EXPECT_EQ(history.status, "completed");
  EXPECT_EQ(history.events.size(), 24U);  // 10 proposed, 10 finished, 2 opened, 2 verdicts
  EXPECT_EQ(history.trials.size(), 10U);
}

TEST(SqliteJournal, RefusesAFolderThatHoldsAStudy) {
  const ScratchFolder scratch;
  make_study(scratch / "deep/below/study");
  EXPECT_THAT(error_of([&] { make_study(scratch / "deep/below/study"); }),
              AllOf(HasSubstr("holds a study already"), HasSubstr("nightshift resume")));
  EXPECT_TRUE(holds_study(scratch / "deep/below/study"));
  EXPECT_FALSE(holds_study(scratch / "deep"));
}

TEST(SqliteJournal, SaysWhyAFolderCannotBeMade) {
  const ScratchFolder scratch;
  std::ofstream(scratch / "file") << "x";
  EXPECT_THAT(error_of([&] { make_study(scratch / "file"); }), HasSubstr("choose another one"));
  EXPECT_THAT(error_of([&] { make_study(scratch / "file/below"); }),
              HasSubstr("choose another one"));
  EXPECT_THAT(error_of([&] { make_study("/proc/nightshift"); }), HasSubstr("choose another one"));
}

// A file system that shares no memory, as FUSE with direct_io.
class NoSharedMemory {
 public:
  NoSharedMemory() : vfs_(sqlite3_vfs_find(nullptr)), mmap_(vfs_->xGetSystemCall(vfs_, "mmap")) {
    vfs_->xSetSystemCall(vfs_, "mmap", reinterpret_cast<sqlite3_syscall_ptr>(&refuse));
  }
  ~NoSharedMemory() { vfs_->xSetSystemCall(vfs_, "mmap", mmap_); }
  NoSharedMemory(const NoSharedMemory&) = delete;
  NoSharedMemory& operator=(const NoSharedMemory&) = delete;

 private:
  static void* refuse(void*, std::size_t, int, int, int, off_t) {
    errno = ENODEV;
    return MAP_FAILED;
  }
  sqlite3_vfs* vfs_;
  sqlite3_syscall_ptr mmap_;
};

TEST(SqliteJournal, WhereNoMemoryCanBeSharedNoStudyIsBegunAndNonePromised) {
  const ScratchFolder scratch;
  std::string error;
  {
    const NoSharedMemory fuse;
    error = error_of([&] { make_study(scratch / "study"); });
  }
  EXPECT_THAT(error, AllOf(HasSubstr("local file system"), HasSubstr("no study was begun"),
                           ::testing::Not(HasSubstr("nightshift resume"))));
  EXPECT_FALSE(holds_study(scratch / "study"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "study/journal.sqlite.new"));
  make_study(scratch / "study");  // the folder is good where memory can be shared
  const NoSharedMemory fuse;
  EXPECT_THAT(error_of([&] { SqliteJournal::open(scratch / "study"); }),
              HasSubstr("go on with a copy of the study on a local file system"));
}

TEST(SqliteJournal, WhatIsReadPromisesNothing) {
  const ScratchFolder scratch;
  make_study(scratch / "study");
  const SqliteDatabase database(kStudyJournal, scratch / "study", scratch / "study/journal.sqlite",
                                SqliteDatabase::Access::kRead);
  EXPECT_THAT(error_of([&] { database.fail(SQLITE_IOERR_READ, "read"); }),
              AllOf(HasSubstr("nothing was changed"), ::testing::Not(HasSubstr("resume"))));
}

TEST(SqliteJournal, AStudyThatWasNotMadeToTheEndIsNone) {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch / "study");
  std::ofstream(scratch / "study/journal.sqlite.new") << "half of a database";
  EXPECT_FALSE(holds_study(scratch / "study"));
  make_study(scratch / "study");
  EXPECT_EQ(load_history(scratch / "study", Detail::kFull).header.problem_name, "sample");
  EXPECT_FALSE(std::filesystem::exists(scratch / "study/journal.sqlite.new"));
}

TEST(SqliteJournal, TheLogOfAJournalThatIsGoneIsNoneOfTheNextOne) {
  const ScratchFolder scratch;
  const std::string journal = scratch / "study/journal.sqlite";
  {
    const auto killed = make_study(scratch / "study");
    tests::write_sample_trial(*killed, 1);
    killed->end_turn();
    ASSERT_GT(std::filesystem::file_size(journal + "-wal"), 0U);
    std::filesystem::copy(journal + "-wal", scratch / "log");
  }
  for (const char* of : {"-wal", "-journal"}) {
    std::filesystem::remove(journal);
    std::filesystem::copy(scratch / "log", journal + of);
    make_study(scratch / "study");
    EXPECT_FALSE(std::filesystem::exists(journal + "-journal"));
    EXPECT_TRUE(load_history(scratch / "study", Detail::kFull).trials.empty()) << of;
  }
}

TEST(SqliteJournal, ASecondRunIsToldWhoHasTheStudy) {
  const ScratchFolder scratch;
  auto journal = make_study(scratch / "study");
  const std::string owner = fmt::format("process {} on ", getpid());
  EXPECT_THAT(error_of([&] { SqliteJournal::open(scratch / "study"); }),
              AllOf(HasSubstr("another run"), HasSubstr(owner)));
  const pid_t child = fork();
  if (child == 0) {
    const std::string error = error_of([&] { SqliteJournal::open(scratch / "study"); });
    _exit(error.find(owner) != std::string::npos ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  journal.reset();
  EXPECT_EQ(error_of([&] { SqliteJournal::open(scratch / "study"); }), "no error");
}

TEST(SqliteJournal, ATrialIsProposedAndFinishedOnce) {
  const ScratchFolder scratch;
  const auto journal = make_study(scratch / "study");
  tests::write_sample_trial(*journal, 1);
  journal->end_turn();
  const std::string error = error_of([&] { journal->propose(tests::sample_proposal(1), 1); });
  EXPECT_THAT(error, HasSubstr("UNIQUE"));
  // What comes after a failure would rest on what is missing.
  EXPECT_EQ(error_of([&] { tests::write_sample_trial(*journal, 2); }), error);
  EXPECT_EQ(error_of([&] { journal->end_turn(); }), error);
  EXPECT_EQ(load_history(scratch / "study", Detail::kFull).trials.size(), 1U);
}

TEST(SqliteJournal, AnswersTheQuestionsOfPeople) {
  const ScratchFolder scratch;
  const std::string folder = scratch / "study";
  {
    const auto journal = make_study(folder);
    for (std::uint64_t id = 1; id <= 9; ++id) tests::write_sample_trial(*journal, id);
    FinishedTrial twin = tests::sample_result(17);
    twin.id = {10};
    twin.artifact = tests::sample_result(2).artifact;
    twin.normalised = search::Score{0.5, 0.01};
    ProposedTrial proposal = tests::sample_proposal(11);
    proposal.id = {10};
    journal->propose(proposal, 5);
    journal->finish(twin);
    journal->propose(tests::sample_proposal(11), 6);
    journal->status("interrupted", "SIGTERM", 2);
    journal->end_turn();
  }
  EXPECT_THAT(shell(folder, "SELECT id, normalised FROM best"),
              ElementsAre("10|0.5", "9|0.909090909090909"));
  EXPECT_THAT(shell(folder, "SELECT status, count(*) FROM failures GROUP BY status ORDER BY 1"),
              ElementsAre("build_failed|1", "crashed|1", "device_lost|1", "launch_failed|1",
                          "timed_out|1", "wrong_result|1"));
  EXPECT_THAT(shell(folder, "SELECT reason FROM failures WHERE id = 3"),
              ElementsAre(search::describe(tests::sample_outcome(2))));
  EXPECT_THAT(shell(folder, "SELECT id, device, status, value FROM baselines"),
              ElementsAre("1|node/cpu:1|measured|1.5"));
  EXPECT_THAT(shell(folder, "SELECT first_trial, trials FROM artifacts WHERE trials > 1"),
              ElementsAre("2|2"));
  EXPECT_THAT(shell(folder,
                    "SELECT objective, j.value FROM samples, json_each(\"values\") j "
                    "WHERE trial = 9 AND objective = 'rate'"),
              ElementsAre("rate|3.0", "rate|4.0", "rate|5.25"));
  EXPECT_THAT(shell(folder, "SELECT name, status, reason, runs, seconds FROM status"),
              ElementsAre("sample|interrupted|SIGTERM|1|2.0"));
  EXPECT_THAT(shell(folder, "SELECT id FROM trials WHERE status = 'in flight'"), ElementsAre("11"));
  EXPECT_THAT(shell(folder, "SELECT what, trial FROM events WHERE seq < 4"),
              ElementsAre("proposed|1", "finished|1", "proposed|2"));
  EXPECT_THAT(shell(folder, "SELECT name, \"values\", default_value FROM parameters"),
              ElementsAre("tile|[1, 2, 4]|1", "mode|[\"fast\", \"it's \\\"quoted\\\"\"]|\"fast\""));
  EXPECT_THAT(shell(folder, "SELECT expression FROM constraints"), ElementsAre("tile <= 4"));
  EXPECT_THAT(shell(folder,
                    "SELECT name, unit, direction, weight, role, at_most, at_least "
                    "FROM objectives"),
              ElementsAre("time|ms|minimise|2.0|time|12.5|", "rate|GB/s|maximise||none||0.25"));
  EXPECT_THAT(shell(folder, "SELECT name FROM environment"),
              ElementsAre("cpu", "os", "compiler", "rows of parameters", "rows of constraints",
                          "rows of objectives"));
}

}  // namespace
}  // namespace nightshift::scheduler
