#pragma once

#include <string>

#include "scheduler/journal/file/sqlite_statement.h"

namespace nightshift::scheduler {

// Writes what the journal has to `after`/journal.sqlite, durably: a study of its own, which every
// command reads. `after` is made. Throws JournalError.
void copy_journal(SqliteDatabase& database, const std::string& after);
// Where what follows has failed: nothing of it is left.
void discard_copy(const std::string& after);

// Puts an end to the write-ahead log, so that another file may take the name of this one: a
// connection that still has the log of the old file would take that of the new one for its own.
// Throws JournalError where somebody reads the journal meanwhile.
void end_log(SqliteDatabase& database, const std::string& folder);

}  // namespace nightshift::scheduler
