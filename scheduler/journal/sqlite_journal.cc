#include "scheduler/journal/sqlite_journal.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "ipc/trial_text.h"
#include "scheduler/clock.h"
#include "scheduler/errors.h"
#include "scheduler/journal/evidence_text.h"
#include "scheduler/journal/file/journal_database.h"
#include "scheduler/journal/file/journal_lock.h"
#include "scheduler/journal/file/journal_turn.h"
#include "scheduler/journal/file/sqlite_statement.h"
#include "scheduler/journal/set_aside.h"
#include "scheduler/journal/sqlite_schema.h"
#include "scheduler/journal/study_tables.h"

namespace nightshift::scheduler {

namespace {

// What SQLite holds as an integer.
constexpr base::Wide kMostInteger = (base::Wide{1} << 63) - 1;

// What is built goes through these folders of a study. A builder makes one that is gone; where
// something else has taken its place no build can end well, and none is at fault.
void expect_room_for_builds(const std::string& folder) {
  namespace fs = std::filesystem;
  for (const char* name : {"artifacts", "scratch"}) {
    const fs::path path = fs::path(folder) / name;
    std::error_code ignored;
    const bool is_link = fs::is_symlink(fs::symlink_status(path, ignored));
    const bool is_there = is_link || fs::exists(path, ignored);
    if (!is_there || fs::is_directory(path, ignored)) continue;
    throw StudyError(
        fmt::format("{}, through which everything goes that is built, has become {}: remove it, "
                    "and `nightshift "
                    "resume {}` goes on",
                    path.string(), is_link ? "a link that leads to no folder" : "a file", folder));
  }
}

}  // namespace

class SqliteJournal::Impl {
 public:
  // Starts a run at `started` (Unix seconds).
  Impl(JournalLock lock, std::unique_ptr<SqliteDatabase> database, const std::string& folder,
       double started)
      : lock_(std::move(lock)),
        folder_(folder),
        database_(std::move(database)),
        seq_(highest("SELECT max(seq) FROM (SELECT max(seq) AS seq FROM proposals UNION ALL "
                     "SELECT max(seq) FROM outcomes UNION ALL SELECT max(seq) FROM verdicts "
                     "UNION ALL SELECT max(seq) FROM confirmations)")),
        run_started_(started) {
    write([&] {
      run_ = counts_.add("runs");
      SqliteStatement run(*database_, "INSERT INTO runs VALUES(?,?,?,?,?,?,?)");
      run.bind(run_).bind_real(started).bind_null().bind_real(0).bind("running").bind("");
      run.insert_row();
    });
    commit_durably();
  }

  void propose(const ProposedTrial& trial, double at) {
    write([&] {
      const std::string configuration = trial.configuration.to_json();
      const std::string large_index = trial.index && trial.index->value > kMostInteger
                                          ? base::to_string(trial.index->value)
                                          : std::string();
      counts_.add("proposals");
      propose_.bind(trial.id.value).bind(++seq_).bind(search::name_of(trial.job));
      if (!large_index.empty()) {
        propose_.bind(large_index);
      } else if (trial.index) {
        propose_.bind(static_cast<std::uint64_t>(trial.index->value));
      } else {
        propose_.bind_null();
      }
      propose_.bind(configuration)
          .bind(trial.device)
          .bind(trial.confirmation.value)
          .bind(trial.candidate.value)
          .bind(static_cast<std::uint64_t>(trial.round))
          .bind(name_of(trial.arm))
          .bind_real(at)
          .insert_row();
    });
  }

  void note(search::TrialId trial, TrialState state, std::uint32_t attempt, std::string_view device,
            std::string_view detail, double at) {
    write([&] {
      note_.bind(counts_.add("changes"))
          .bind(trial.value)
          .bind(name_of(state))
          .bind(std::uint64_t{attempt})
          .bind(device)
          .bind(detail)
          .bind_real(at)
          .insert_row();
    });
  }

  void finish(const FinishedTrial& trial) {
    if (std::holds_alternative<search::BuildFailed>(trial.report.outcome)) {
      expect_room_for_builds(folder_);
    }
    write([&] {
      const search::TrialReport& report = trial.report;
      const std::string outcome = ipc::to_json(report.outcome);
      const bool measured = std::holds_alternative<search::Measured>(report.outcome);
      const std::string reason = measured ? trial.beyond_limits : search::describe(report.outcome);
      counts_.add("outcomes");
      finish_.bind(trial.id.value)
          .bind(++seq_)
          .bind(search::status_name(report.outcome))
          .bind(reason)
          .bind(outcome)
          .bind(std::uint64_t{trial.attempts})
          .bind(trial.device)
          .bind(trial.artifact);
      finish_.bind_optional(trial.value);
      if (trial.normalised) {
        finish_.bind_real(trial.normalised->value).bind_real(trial.normalised->standard_error);
      } else {
        finish_.bind_null().bind_null();
      }
      finish_.bind_real(report.cost.build)
          .bind_real(report.cost.check)
          .bind_real(report.cost.measure)
          .bind_real(report.cost.simulated)
          .bind_real(trial.started)
          .bind_real(trial.finished)
          .insert_row();
    });
  }

  void open(const ConfirmationSetup& setup, double at) {
    write([&] {
      counts_.add("confirmations");
      open_.bind(++seq_)
          .bind(setup.id.value)
          .bind(name_of(setup.purpose))
          .bind(setup.candidate.value)
          .bind(setup.opponent.value)
          .bind(devices_to_json(setup.devices))
          .bind(static_cast<std::uint64_t>(setup.pairs))
          .bind_real(setup.level)
          .bind_real(at)
          .insert_row();
    });
  }

  void verdict(const ConfirmationVerdict& verdict, double at) {
    write([&] {
      const search::Verdict& v = verdict.verdict;
      counts_.add("verdicts");
      verdict_.bind(++seq_)
          .bind(verdict.id.value)
          .bind(verdict.candidate.value)
          .bind(search::name_of(v.acceptance))
          .bind(search::reason_of(v.acceptance))
          .bind_real(v.ratio)
          .bind_real(v.interval.low)
          .bind_real(v.interval.high)
          .bind_real(v.p_value)
          .bind(evidence_to_json(v))
          .bind_real(at)
          .insert_row();
    });
  }

  void remark(std::string_view what, std::string_view detail, double at) {
    write([&] {
      remark_.bind(counts_.add("remarks")).bind(what).bind(detail).bind_real(at).insert_row();
    });
  }

  void status(std::string_view status, std::string_view reason, double run_seconds) {
    write([&] {
      status_.bind(run_).bind_real(run_started_);
      if (status == "running") {
        status_.bind_null();
      } else {
        status_.bind_real(run_started_ + run_seconds);
      }
      status_.bind_real(run_seconds).bind(status).bind(reason).insert_row();
    });
  }

  void end_turn() { turn_.end(); }

  void commit_durably() {
    end_turn();
    turn_.guarded([&] { database_->sync_log(); });
  }

  // Nothing else is to be called afterwards.
  JournalLock set_aside(const std::string& folder, const std::string& after) {
    end_turn();
    turn_.guarded([&] {
      copy_journal(*database_, after);
      try {
        end_log(*database_, folder);
      } catch (const JournalError&) {
        discard_copy(after);
        throw;
      }
    });
    return std::move(lock_);
  }

 private:
  std::uint64_t highest(const char* sql) { return database_->number(sql); }

  template <class Action>
  void write(const Action& action) {
    turn_.write(action);
  }

  JournalLock lock_;  // outlives the connection
  std::string folder_;
  std::unique_ptr<SqliteDatabase> database_;
  std::uint64_t seq_, run_ = 0;  // used last
  double run_started_;

  JournalTurn turn_{kStudyJournal, *database_, JournalTurn::Failure::kForGood};
  RowCounts& counts_{turn_.counts()};
  SqliteStatement propose_{*database_, "INSERT INTO proposals VALUES(?,?,?,?,?,?,?,?,?,?,?,?)"};
  SqliteStatement note_{*database_, "INSERT INTO changes VALUES(?,?,?,?,?,?,?,?)"};
  SqliteStatement finish_{*database_,
                          "INSERT INTO outcomes VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"};
  SqliteStatement open_{*database_, "INSERT INTO confirmations VALUES(?,?,?,?,?,?,?,?,?,?)"};
  SqliteStatement verdict_{*database_, "INSERT INTO verdicts VALUES(?,?,?,?,?,?,?,?,?,?,?,?)"};
  SqliteStatement remark_{*database_, "INSERT INTO remarks VALUES(?,?,?,?,?)"};
  SqliteStatement status_{*database_, "REPLACE INTO runs VALUES(?,?,?,?,?,?,?)"};
};

std::unique_ptr<SqliteJournal> SqliteJournal::create(const std::string& folder,
                                                     const StudyHeader& header,
                                                     const search::Problem& problem) {
  const auto refuse_study = [&] {
    if (!holds_study(folder)) return;
    throw JournalError(
        fmt::format("{} holds a study already: continue it with `nightshift resume {}`, or choose "
                    "another folder",
                    folder, folder));
  };
  refuse_study();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw JournalError(fmt::format("the folder {} cannot be made ({}): choose another one", folder,
                                   error.message()));
  }
  JournalLock lock(kStudyJournal, folder);
  refuse_study();  // somebody may have been faster
  publish_study(folder, header, problem);
  return std::unique_ptr<SqliteJournal>(new SqliteJournal(std::make_unique<Impl>(
      std::move(lock), open_for_writing(kStudyJournal, folder, file_system_at(folder)), folder,
      header.created)));
}

std::unique_ptr<SqliteJournal> SqliteJournal::begin_anew(std::unique_ptr<SqliteJournal> earlier,
                                                         const std::string& folder,
                                                         const std::string& after,
                                                         const StudyHeader& header,
                                                         const search::Problem& problem) {
  JournalLock lock = earlier->impl_->set_aside(folder, after);
  earlier.reset();
  publish_study(folder, header, problem);
  return std::unique_ptr<SqliteJournal>(new SqliteJournal(std::make_unique<Impl>(
      std::move(lock), open_for_writing(kStudyJournal, folder, file_system_at(folder)), folder,
      header.created)));
}

std::unique_ptr<SqliteJournal> SqliteJournal::open(const std::string& folder) {
  // Where there is none this throws, saying what is missing.
  if (!holds_study(folder)) open_for_writing(kStudyJournal, folder, file_system_at(folder));
  JournalLock lock(kStudyJournal, folder);
  auto database = open_for_writing(kStudyJournal, folder, file_system_at(folder));
  expect_whole(*database);
  go_on_after(*database, kLastTimeOfStudy);
  return std::unique_ptr<SqliteJournal>(new SqliteJournal(std::make_unique<Impl>(
      std::move(lock), std::move(database), folder, SystemClock().unix_seconds())));
}

SqliteJournal::SqliteJournal(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SqliteJournal::~SqliteJournal() = default;

void SqliteJournal::propose(const ProposedTrial& trial, double at) { impl_->propose(trial, at); }
void SqliteJournal::note(search::TrialId trial, TrialState state, std::uint32_t attempt,
                         std::string_view device, std::string_view detail, double at) {
  impl_->note(trial, state, attempt, device, detail, at);
}
void SqliteJournal::finish(const FinishedTrial& trial) { impl_->finish(trial); }
void SqliteJournal::open(const ConfirmationSetup& confirmation, double at) {
  impl_->open(confirmation, at);
}
void SqliteJournal::verdict(const ConfirmationVerdict& verdict, double at) {
  impl_->verdict(verdict, at);
}
void SqliteJournal::remark(std::string_view what, std::string_view detail, double at) {
  impl_->remark(what, detail, at);
}
void SqliteJournal::status(std::string_view status, std::string_view reason, double run_seconds) {
  impl_->status(status, reason, run_seconds);
}
void SqliteJournal::end_turn() { impl_->end_turn(); }
void SqliteJournal::commit_durably() { impl_->commit_durably(); }

void refuse_while_at_work(const std::string& folder) {
  const JournalLock lock(kStudyJournal, folder);
}

bool holds_study(const std::string& folder) {
  std::error_code ignored;
  return std::filesystem::exists(kStudyJournal.file_in(folder), ignored);
}

}  // namespace nightshift::scheduler
