#pragma once

#include <memory>
#include <string>

#include "scheduler/journal/history.h"
#include "scheduler/journal/journal.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// The journal as one SQLite file, DIR/journal.sqlite, in WAL mode. The schema and its version stand
// in sqlite_schema.h; `sqlite3 DIR/journal.sqlite` answers questions about it. synchronous is
// NORMAL (6-10 microseconds a record, survives SIGKILL) and FULL for commit_durably().
class SqliteJournal final : public Journal {
 public:
  // Makes a new study in `folder` (created; must not hold one already). Throws JournalError.
  static std::unique_ptr<SqliteJournal> create(const std::string& folder, const StudyHeader& header,
                                               const search::Problem& problem);
  // Opens a study to go on with it: takes the folder's lock (see journal_lock.h; another live run
  // is a JournalError), checks version and integrity, recovers the WAL. Each opening is one more
  // run of the study; status() speaks of that run.
  static std::unique_ptr<SqliteJournal> open(const std::string& folder);
  // Sets the study in `folder` aside, into the folder `after`, where it is a study of its own, and
  // begins another one in its place under the same lock. The folder has one of the two studies at
  // any instant. Throws JournalError, also where another program reads the journal meanwhile.
  static std::unique_ptr<SqliteJournal> begin_anew(std::unique_ptr<SqliteJournal> earlier,
                                                   const std::string& folder,
                                                   const std::string& after,
                                                   const StudyHeader& header,
                                                   const search::Problem& problem);
  ~SqliteJournal() override;

  void propose(const ProposedTrial& trial, double at) override;
  void note(search::TrialId trial, TrialState state, std::uint32_t attempt, std::string_view device,
            std::string_view detail, double at) override;
  void finish(const FinishedTrial& trial) override;
  void open(const ConfirmationSetup& confirmation, double at) override;
  void verdict(const ConfirmationVerdict& verdict, double at) override;
  void remark(std::string_view what, std::string_view detail, double at) override;
  void status(std::string_view status, std::string_view reason, double run_seconds) override;
  void end_turn() override;
  void commit_durably() override;

 private:
  class Impl;
  explicit SqliteJournal(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

enum class Detail : std::uint8_t {
  kHead,    // no trials, and no order of events
  kTrials,  // no steps of trials
  kFull,
};
// Reads a study without changing it, also while it runs. Throws JournalError: no study
// there, damaged (says what is), or written by a newer version.
History load_history(const std::string& folder, Detail detail);
// Writes a study as its journal is now into the folder `to`, durably; `to` is made, and must hold
// none. Nobody may write the study meanwhile. Throws JournalError.
void copy_study(const std::string& folder, const std::string& to);
// True when `folder` holds a study.
bool holds_study(const std::string& folder);
// Throws JournalError where another live run is at the study. Writes nothing.
void refuse_while_at_work(const std::string& folder);

}  // namespace nightshift::scheduler
