#pragma once

#include "scheduler/journal/file/journal_form.h"

namespace nightshift::scheduler {

// The tables of a batch's journal, for who reads them with `sqlite3 DIR/batch.sqlite`.
//
//   PRAGMA application_id = "NSB1".
//
//   batch     one row: what it is called, and who began it
//   studies   one row a study that the batch has now
//   states    a row for each change of a study's state; the last one holds. With the claim of one
//             that ended, where it has one
//   progress  one row a study that has run: what it said of itself last
//   devices   one row a device: what goes on there
//   leases    a row whenever a study gets a device ('owner', 'guest') or gives it back ('none')
//   runs      one row per start of the program
//   events    what happened, a line each
//   requests  what somebody asked of the batch; the one table that others write
//   answers   what became of it
//
// Times are Unix seconds. Nothing here decides what a study found: that stands in its own journal.
// Rows have check sums as those of a study have, and a seal (see sqlite_schema.h); journals of
// version 1 have no seal. From version 3 on `level` is that of the claim's test, which says the confidence of
// `low` and `high`; before, it is that of the problem, and these have 95 %.
constexpr TableDefinition kBatchTables[] = {
    {"batch",
     "CREATE TABLE batch(name TEXT NOT NULL, version TEXT NOT NULL, created REAL NOT NULL, "
     "check_sum INTEGER NOT NULL)"},
    {"studies",
     "CREATE TABLE studies(position INTEGER PRIMARY KEY, "
     "terms TEXT NOT NULL, "  // JSON, see batch_terms_text.h
     "check_sum INTEGER NOT NULL)",
     RowsOf::kCounted},
    {"states",
     "CREATE TABLE states(change INTEGER PRIMARY KEY, study TEXT NOT NULL, state TEXT NOT NULL, "
     "reason TEXT NOT NULL, ratio REAL, low REAL, high REAL, p_value REAL, level REAL, "
     "at REAL NOT NULL, check_sum INTEGER NOT NULL)",
     RowsOf::kNumbered},
    {"progress",
     "CREATE TABLE progress(study TEXT PRIMARY KEY, trials INTEGER NOT NULL, "
     "measured INTEGER NOT NULL, failed INTEGER NOT NULL, accepted INTEGER NOT NULL, "
     "activity TEXT NOT NULL, best REAL, incumbent REAL, elapsed REAL NOT NULL, "
     "seconds_limit REAL NOT NULL, budget_used REAL NOT NULL, at REAL NOT NULL, "
     "check_sum INTEGER NOT NULL)",
     RowsOf::kCounted},
    {"devices",
     "CREATE TABLE devices(uuid TEXT PRIMARY KEY, model TEXT NOT NULL, study TEXT NOT NULL, "
     "activity TEXT NOT NULL, busy_seconds REAL NOT NULL, check_sum INTEGER NOT NULL)",
     RowsOf::kCounted},
    {"leases",
     "CREATE TABLE leases(change INTEGER PRIMARY KEY, study TEXT NOT NULL, device TEXT NOT NULL, "
     "kind TEXT NOT NULL, at REAL NOT NULL, check_sum INTEGER NOT NULL)",
     RowsOf::kNumbered},
    {"runs",
     "CREATE TABLE runs(run INTEGER PRIMARY KEY, process TEXT NOT NULL, started REAL NOT NULL, "
     "deadline REAL, ended REAL, status TEXT NOT NULL, reason TEXT NOT NULL, "
     "check_sum INTEGER NOT NULL)",
     RowsOf::kNumbered},
    {"events",
     "CREATE TABLE events(event INTEGER PRIMARY KEY, study TEXT NOT NULL, kind TEXT NOT NULL, "
     "line TEXT NOT NULL, at REAL NOT NULL, check_sum INTEGER NOT NULL)",
     RowsOf::kNumbered},
    {"requests",
     "CREATE TABLE requests(request INTEGER PRIMARY KEY, kind TEXT NOT NULL, "
     "argument TEXT NOT NULL, at REAL NOT NULL, check_sum INTEGER NOT NULL)"},
    {"answers",
     "CREATE TABLE answers(request INTEGER PRIMARY KEY, line TEXT NOT NULL, at REAL NOT NULL, "
     "check_sum INTEGER NOT NULL)",
     RowsOf::kCounted},
};

constexpr const char* kBatchViews =
    "CREATE VIEW queue AS SELECT s.position, s.terms ->> '$.name' AS name, "
    "  (SELECT state FROM states c WHERE c.study = s.terms ->> '$.name' "
    "   ORDER BY change DESC LIMIT 1) AS state, "
    "  p.trials, p.incumbent, p.elapsed, p.activity "
    "  FROM studies s LEFT JOIN progress p ON p.study = s.terms ->> '$.name' ORDER BY s.position;";

// The latest time in it. Requests have the times of whoever asked.
constexpr const char* kLastTimeOfBatch =
    "SELECT max(at) FROM (SELECT max(max(started), max(ifnull(ended, started))) AS at FROM runs "
    "  UNION ALL SELECT max(at) FROM states UNION ALL SELECT max(at) FROM progress "
    "  UNION ALL SELECT max(at) FROM leases UNION ALL SELECT max(at) FROM events)";

constexpr std::uint32_t kBatchVersion = 3;
constexpr std::uint64_t kFirstWithLevelsOfTests = 3;

constexpr JournalForm kBatchJournal{"batch",
                                    "batch.sqlite",
                                    "batch.lock",
                                    "--batch",
                                    "nightshift batch run FILE --batch {}",
                                    "nightshift batch run FILE --batch {}",
                                    "nightshift batch run",
                                    0x4e534231,
                                    kBatchVersion,
                                    1,
                                    2,
                                    kBatchTables,
                                    kBatchViews};

}  // namespace nightshift::scheduler
