#include "scheduler/journal/study_outline.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "scheduler/journal/file/file_system.h"
#include "scheduler/journal/file/journal_database.h"
#include "scheduler/journal/file/journal_lock.h"
#include "scheduler/journal/file/sqlite_statement.h"
#include "scheduler/journal/history_reader.h"
#include "scheduler/journal/sqlite_schema.h"
#include "scheduler/journal/study_tables.h"

namespace nightshift::scheduler {
namespace {

// What a searcher asked for; steps of finishing rounds have a candidate (is_of_finishing()).
void count_explored(SqliteDatabase& database, StudyOutline& outline) {
  SqliteStatement counts(database,
                         "SELECT o.status, count(*), min(o.normalised), max(o.finished) "
                         "FROM outcomes o JOIN proposals p USING (trial) "
                         "WHERE p.job = 'explore' AND p.candidate = 0 GROUP BY o.status",
                         "count of");
  while (counts.next_computed_row()) {
    const std::string status(counts.text());
    const std::uint64_t count = counts.integer();
    const std::optional<double> best = counts.optional_real();
    outline.last_sign = std::max(outline.last_sign, counts.optional_real().value_or(0));
    if (status == "skipped") {
      outline.skipped += count;
    } else if (status != "measured") {
      outline.failed += count;
    } else {
      outline.measured += count;
      outline.best = best;
    }
  }
  outline.evaluations = database.number(
      "SELECT count(DISTINCT configuration) FROM proposals "
      "WHERE job = 'explore' AND candidate = 0 AND trial IN (SELECT trial FROM outcomes)");
  outline.in_flight =
      database.number("SELECT (SELECT count(*) FROM proposals) - (SELECT count(*) FROM outcomes)");
}

// For rows of trials that read_history() leaves out at this detail.
void expect_sums_of_trials(SqliteDatabase& database, Detail detail) {
  const auto expect = [&](const char* sql, const char* row_name) {
    SqliteStatement row(database, sql, row_name);
    while (row.next_row()) {
    }
  };
  if (detail == Detail::kHead) {
    expect("SELECT * FROM proposals", "trial");
    expect("SELECT * FROM outcomes", "outcome of trial");
  }
  if (detail != Detail::kFull) expect("SELECT * FROM changes", "change");
}

// In one transaction, so that the tables fit each other even while a run appends to them. Gives the
// one that writes the study; one that began meanwhile counts. A study that runs may be looked at
// each second, and read its rows as it began: those that are left out are not looked at again.
std::optional<std::string> read_study(const std::string& folder, Detail detail,
                                      const std::function<void(SqliteDatabase&)>& read) {
  const std::optional<std::string> writer = writer_of(kStudyJournal, folder);
  read_journal(kStudyJournal, folder, file_system_at(folder), [&](SqliteDatabase& database) {
    database.execute("BEGIN");
    read(database);
    if (!writer) expect_sums_of_trials(database, detail);
    database.execute("COMMIT");
  });
  return writer ? writer : writer_of(kStudyJournal, folder);
}

}  // namespace

void expect_whole(SqliteDatabase& database) {
  database.execute("BEGIN");
  read_history(database, Detail::kFull);
  database.execute("COMMIT");
}

History load_history(const std::string& folder, Detail detail) {
  History history;
  auto writer = read_study(
      folder, detail, [&](SqliteDatabase& database) { history = read_history(database, detail); });
  history.writer = std::move(writer);
  return history;
}

StudyOutline load_outline(const std::string& folder) {
  StudyOutline outline;
  auto writer = read_study(folder, Detail::kHead, [&](SqliteDatabase& database) {
    outline = {};
    outline.history = read_history(database, Detail::kHead);
    count_explored(database, outline);
  });
  outline.history.writer = std::move(writer);
  return outline;
}

}  // namespace nightshift::scheduler
