#pragma once

#include <sqlite3.h>

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/journal/file/sqlite_statement.h"

namespace nightshift::tests {

// Writes a table's rows anew with the check sums that `database` gives.
inline void sum_again(scheduler::SqliteDatabase& database, const std::string& table) {
  database.execute(("CREATE TEMP TABLE old AS SELECT * FROM " + table).c_str());
  database.execute(("DELETE FROM " + table).c_str());
  sqlite3_stmt* row = nullptr;
  sqlite3_prepare_v2(database.handle(), "SELECT * FROM old", -1, &row, nullptr);
  const int columns = sqlite3_column_count(row) - 1;
  std::string marks = "?";
  for (int i = 0; i < columns; ++i) marks += ",?";
  {
    scheduler::SqliteStatement insert(database,
                                      ("INSERT INTO " + table + " VALUES(" + marks + ")").c_str());
    while (sqlite3_step(row) == SQLITE_ROW) {
      std::vector<std::string> texts(static_cast<std::size_t>(columns));
      for (int i = 0; i < columns; ++i) {
        const int type = sqlite3_column_type(row, i);
        if (type == SQLITE_NULL) {
          insert.bind_null();
        } else if (type == SQLITE_INTEGER) {
          insert.bind(static_cast<std::uint64_t>(sqlite3_column_int64(row, i)));
        } else if (type == SQLITE_FLOAT) {
          insert.bind_real(sqlite3_column_double(row, i));
        } else {
          auto& text = texts[static_cast<std::size_t>(i)];
          text = reinterpret_cast<const char*>(sqlite3_column_text(row, i));
          insert.bind(std::string_view(text));
        }
      }
      insert.insert_row();
    }
  }
  sqlite3_finalize(row);
  database.execute("DROP TABLE old");
}

// Makes of a journal one of the version before seals: without one, and with check sums that begin
// with nothing.
inline void make_unsealed(const scheduler::JournalForm& form, const std::string& folder) {
  scheduler::SqliteDatabase database(form, folder, form.file_in(folder),
                                     scheduler::SqliteDatabase::Access::kReadWrite);
  for (const scheduler::TableDefinition& table : form.tables) sum_again(database, table.name);
  database.execute("DROP TABLE seal");
  database.execute(("PRAGMA user_version=" + std::to_string(form.sealed_since - 1)).c_str());
}

}  // namespace nightshift::tests
