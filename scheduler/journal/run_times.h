#pragma once

#include <vector>

#include "scheduler/journal/file/sqlite_statement.h"
#include "scheduler/journal/history.h"

namespace nightshift::scheduler {

// How long each run of a study lasted. One that was killed could not say so: it lasted until the last
// thing that it wrote.
class RunTimes {
 public:
  // Something was written, Unix seconds.
  void wrote(double at) { times_.push_back(at); }

  // Reads the table of runs into `history`, after all else has been told. has_trials: the outcomes of
  // trials have been told too; they are looked up otherwise. Throws JournalError.
  void read(SqliteDatabase& database, bool has_trials, History& history);

  // Runs before the last one that have not said how they ended.
  const std::vector<RunSpan>& died() const { return died_; }

 private:
  std::vector<double> times_;
  std::vector<RunSpan> died_;
};

}  // namespace nightshift::scheduler
