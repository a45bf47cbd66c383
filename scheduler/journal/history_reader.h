#pragma once

#include "scheduler/journal/file/sqlite_statement.h"
#include "scheduler/journal/history.h"
#include "scheduler/journal/sqlite_journal.h"

namespace nightshift::scheduler {

// Reads the tables of one study within the transaction that is open. Throws JournalError where they
// are damaged. The writer is not looked for.
History read_history(SqliteDatabase& database, Detail detail);

}  // namespace nightshift::scheduler
