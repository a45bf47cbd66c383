#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <string>

#include "scheduler/errors.h"
#include "scheduler/journal/file/row_counts.h"
#include "scheduler/journal/file/sqlite_statement.h"

namespace nightshift::scheduler {

// What is written to a journal between two ends of a turn is one transaction. A call that fails
// rolls it back and throws JournalError.
class JournalTurn {
 public:
  enum class Failure : std::uint8_t {
    kForGood,  // every later call would build on what is missing: all of them fail alike
    kOnce,     // the next call begins anew; what was lost is written again by whoever cares
  };
  JournalTurn(const JournalForm& form, SqliteDatabase& database, Failure failure)
      : database_(database), failure_(failure), counts_(form, database) {}

  // Of the rows that this turn has added so far as well.
  RowCounts& counts() { return counts_; }

  template <class Action>
  void write(const Action& action) {
    guarded([&] {
      if (!is_open_) begin_.run();
      is_open_ = true;
      action();
    });
  }
  void end() {
    if (!is_open_) return;
    guarded([&] {
      counts_.write();
      commit_.run();
      counts_.keep();
      is_open_ = false;
      if (failure_ == Failure::kForGood) database_.expect_in_place();
    });
  }
  // Of a call outside of a transaction.
  template <class Action>
  void guarded(const Action& action) {
    if (!reason_.empty()) throw JournalError(reason_);
    try {
      action();
    } catch (const JournalError& error) {
      if (failure_ == Failure::kForGood) {
        reason_ = error.what();
      } else {
        is_open_ = false;
        counts_.revert();
      }
      sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
      throw;
    }
  }

 private:
  SqliteDatabase& database_;
  Failure failure_;
  RowCounts counts_;
  bool is_open_ = false;
  std::string reason_;  // of a failure for good
  SqliteStatement begin_{database_, "BEGIN IMMEDIATE"};
  SqliteStatement commit_{database_, "COMMIT"};
};

}  // namespace nightshift::scheduler
