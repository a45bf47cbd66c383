#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/journal/file/journal_form.h"
#include "scheduler/journal/file/sqlite_statement.h"

namespace nightshift::scheduler {

// The seal of a journal is one row: a random number that the journal has had since it was made, the
// folder that paths in it were written in, and how many rows its tables have, as JSON. It is written with each turn that adds rows, so that rows
// that are gone are missed, also of a run that was killed. Journals of earlier versions have none.
inline constexpr TableDefinition kSealTable{
    "seal",
    "CREATE TABLE seal(seal INTEGER PRIMARY KEY, origin INTEGER NOT NULL, "
    "folder TEXT NOT NULL, rows TEXT NOT NULL, "
    "check_sum INTEGER NOT NULL)"};

// How many rows the tables of a journal have, for who writes it.
class RowCounts {
 public:
  RowCounts(const JournalForm& form, SqliteDatabase& database);
  // One more row; of a numbered table this is its key.
  std::uint64_t add(std::string_view table);
  // Of a table whose rows come and go.
  void set(std::string_view table, std::uint64_t rows);
  // The key that add() gave last, of a numbered table.
  std::uint64_t of(std::string_view table) { return count(table).rows; }
  // In the transaction that adds the rows.
  void write();
  // It was committed, or rolled back.
  void keep();
  void revert();

 private:
  struct Count {
    std::string_view table;
    std::uint64_t rows = 0, kept = 0;
  };
  Count& count(std::string_view table);

  SqliteDatabase& database_;
  std::vector<Count> counts_;
  bool changed_ = true;
};

// Throws JournalError where the seal says another number of rows than a table has, or rows of a
// numbered one have other numbers. Within a transaction, beside a writer.
void expect_row_counts(const JournalForm& form, SqliteDatabase& database);

}  // namespace nightshift::scheduler
