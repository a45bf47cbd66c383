#include "scheduler/journal/file/row_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace nightshift::scheduler {
namespace {

std::uint64_t rows_in(SqliteDatabase& database, const TableDefinition& table) {
  return database.number(fmt::format("SELECT count(*) FROM {}", table.name).c_str());
}

// The key of a numbered table is its rowid.
std::uint64_t last_key(SqliteDatabase& database, const TableDefinition& table) {
  return database.number(fmt::format("SELECT max(rowid) FROM {}", table.name).c_str());
}

nlohmann::json read_seal(SqliteDatabase& database) {
  SqliteStatement row(database, "SELECT * FROM seal", "seal");
  if (!row.next_row()) database.damaged("its seal is missing");
  (void)row.integer();
  (void)row.integer();
  (void)row.text();
  nlohmann::json rows = nlohmann::json::parse(row.text(), nullptr, false);
  if (!rows.is_object()) row.damaged("does not say how many rows there are");
  if (row.next_row()) row.damaged("is there twice");
  return rows;
}

}  // namespace

RowCounts::RowCounts(const JournalForm& form, SqliteDatabase& database) : database_(database) {
  for (const TableDefinition& table : form.tables) {
    if (table.rows == RowsOf::kOther) continue;
    const bool is_numbered = table.rows == RowsOf::kNumbered;
    const std::uint64_t rows = is_numbered ? last_key(database, table) : rows_in(database, table);
    counts_.push_back({table.name, rows, rows});
  }
}

RowCounts::Count& RowCounts::count(std::string_view table) {
  const auto found = std::ranges::find(counts_, table, &Count::table);
  if (found == counts_.end()) throw std::logic_error("a table whose rows nobody counts");
  return *found;
}

std::uint64_t RowCounts::add(std::string_view table) {
  changed_ = true;
  return ++count(table).rows;
}

void RowCounts::set(std::string_view table, std::uint64_t rows) {
  Count& its = count(table);
  changed_ = true;
  its.rows = rows;
}

void RowCounts::write() {
  if (!changed_ || !database_.origin()) return;
  std::string rows = "{";
  for (const Count& count : counts_) {
    rows += fmt::format("{}\"{}\":{}", rows.size() > 1 ? "," : "", count.table, count.rows);
  }
  rows += "}";
  SqliteStatement seal(database_, "REPLACE INTO seal VALUES(?,?,?,?,?)");
  seal.bind(std::uint64_t{1}).bind(*database_.origin()).bind(database_.made_in()).bind(rows);
  seal.insert_row();
}

void RowCounts::keep() {
  changed_ = false;
  for (Count& count : counts_) count.kept = count.rows;
}

void RowCounts::revert() {
  for (Count& count : counts_) count.rows = count.kept;
}

void expect_row_counts(const JournalForm& form, SqliteDatabase& database) {
  if (!database.origin()) return;
  const nlohmann::json sealed = read_seal(database);
  for (const TableDefinition& table : form.tables) {
    if (table.rows == RowsOf::kOther) continue;
    const auto said = sealed.find(table.name);
    const std::uint64_t rows = rows_in(database, table);
    if (said == sealed.end() || *said != rows) {
      const std::string number = said == sealed.end() ? "an unknown number" : said->dump();
      const bool fewer = said != sealed.end() && *said > rows;
      database.damaged(fmt::format("rows of the table {} are {}: it has {}, and {} were written",
                                   table.name, fewer ? "missing" : "not of this journal", rows,
                                   number));
    }
    if (table.rows == RowsOf::kNumbered && last_key(database, table) != rows) {
      database.damaged(fmt::format("rows of the table {} are out of order", table.name));
    }
  }
}

}  // namespace nightshift::scheduler
