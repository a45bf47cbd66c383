#pragma once

#include <functional>
#include <memory>
#include <string>

#include "scheduler/journal/file/file_system.h"
#include "scheduler/journal/file/journal_form.h"
#include "scheduler/journal/file/sqlite_statement.h"

namespace nightshift::scheduler {

// How the database of a journal is made and opened; all throw JournalError. SQLite itself would
// take an empty file for a new database and delete its log, so nothing is opened before its size is
// known. Nothing here opens the file but SQLite: closing any descriptor of a file drops the fcntl
// locks that SQLite holds on it in this process.

//
// On a local file system a journal has a write-ahead log: a turn is flushed to no disk, and readers
// do not wait. Its index is memory that all processes share, which a network file system has not:
// there the journal has a rollback journal, each turn is flushed, and a reader and the writer wait
// for each other. A journal that was moved from one to the other changes when it is written next.

// Makes the tables in a file beside the final one, for publish_database(). A crash in between
// leaves no half journal.
std::unique_ptr<SqliteDatabase> draft_database(const JournalForm& form, const std::string& folder);
// Closes the draft, moves it to its final name and makes that durable.
void publish_database(const JournalForm& form, std::unique_ptr<SqliteDatabase> draft,
                      const std::string& folder, FileSystemKind kind);

// Where either fails: nothing is left of the draft.
void discard_draft(const JournalForm& form, const std::string& folder);

// For the one that holds the JournalLock: recovers the log, checks identity and integrity.
std::unique_ptr<SqliteDatabase> open_for_writing(const JournalForm& form, const std::string& folder,
                                                 FileSystemKind kind);
// Before a run that goes on writes: no time of it is earlier than what the journal has, by the query
// for the latest one (SystemClock::go_on_after()).
void go_on_after(SqliteDatabase& database, const char* last_time);
// Beside the one that holds the lock, for a row that is anybody's to write. Checks identity.
std::unique_ptr<SqliteDatabase> open_beside_writer(const JournalForm& form,
                                                   const std::string& folder);
// `read` is called on a connection that may stand beside a writer, or in a folder that cannot be
// written to. It is called again where a run began to write meanwhile, so that what it read last
// fits together.
void read_journal(const JournalForm& form, const std::string& folder, FileSystemKind kind,
                  const std::function<void(SqliteDatabase&)>& read);

}  // namespace nightshift::scheduler
