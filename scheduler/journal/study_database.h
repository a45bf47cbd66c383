#pragma once

#include <memory>
#include <string>

#include "scheduler/journal/sqlite_statement.h"

namespace nightshift::scheduler {

// How the database of a study is made and opened; all throw JournalError. SQLite itself would take
// an empty file for a new database and delete its log, so nothing is opened before its size is
// known. Nothing here opens the file but SQLite: closing any descriptor of a file drops the fcntl
// locks that SQLite holds on it in this process.

// Makes the tables in a file beside the final one, for publish_database(). A crash in between
// leaves no half study.
std::unique_ptr<SqliteDatabase> draft_database(const std::string& folder);
// Closes the draft, moves it to its final name and makes that durable.
void publish_database(std::unique_ptr<SqliteDatabase> draft, const std::string& folder);

// Where either fails: nothing is left of the draft.
void discard_draft(const std::string& folder);

// For the one that holds the StudyLock: recovers the log, checks identity and integrity.
std::unique_ptr<SqliteDatabase> open_for_writing(const std::string& folder);
// Beside a writer, or in a folder that cannot be written to. Checks identity.
std::unique_ptr<SqliteDatabase> open_for_reading(const std::string& folder);

}  // namespace nightshift::scheduler
