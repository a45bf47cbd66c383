#include "scheduler/journal/file/journal_database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>
#include <system_error>

#include "ipc/unique_fd.h"
#include "scheduler/clock.h"
#include "scheduler/errors.h"
#include "scheduler/journal/file/row_counts.h"

namespace nightshift::scheduler {

namespace {

namespace fs = std::filesystem;
using Access = SqliteDatabase::Access;

std::string draft_file(const JournalForm& form, const std::string& folder) {
  return form.file_in(folder) + ".new";
}

std::uintmax_t size_of(const std::string& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  return error ? 0 : size;
}

void require_content(const JournalForm& form, const std::string& folder) {
  const std::string file = form.file_in(folder);
  std::error_code error;
  if (!fs::exists(file, error)) {
    throw JournalError(
        fmt::format("{} holds no {}{}: `{}` starts one", folder, form.noun,
                    error ? fmt::format(" that can be reached ({})", error.message()) : "",
                    form.to_start(folder)));
  }
  if (fs::is_directory(file, error)) {
    throw JournalError(fmt::format(
        "the journal {} is damaged: it is a folder where a file should be; remove the folder, and "
        "a copy of the file from a backup can be resumed",
        file));
  }
  if (size_of(file) == 0) {
    throw JournalError(fmt::format(
        "the journal {} is damaged: the file is empty; a copy of the folder from a backup can be "
        "resumed",
        file));
  }
}

void expect_version(const JournalForm& form, SqliteDatabase& database, std::uint64_t version) {
  if (version > std::uint64_t{form.version}) {
    throw JournalError(fmt::format(
        "the {} was written by a newer version of Nightshift (journal version {}, this one "
        "reads {}): use that version",
        form.noun, version, form.version));
  }
  if (version == 0) database.damaged("its version is unknown");
  if (version < std::uint64_t{form.oldest}) {
    throw JournalError(fmt::format(
        "the {} was written by an earlier version of Nightshift (journal version {}, this one "
        "reads {}): use that version, or start a new {}",
        form.noun, version, form.version, form.noun));
  }
}

void expect_table(SqliteDatabase& database, const TableDefinition& table) {
  const std::string query =
      fmt::format("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = '{}'", table.name);
  if (database.text(query.c_str()) != table.sql) {
    database.damaged(fmt::format("table {} is missing or has changed", table.name));
  }
}

std::uint64_t random_number() {
  std::random_device random;
  return std::uniform_int_distribution<std::uint64_t>(1, INT64_MAX)(random);
}

void check_identity(const JournalForm& form, SqliteDatabase& database) {
  if (database.number("PRAGMA application_id") != std::uint64_t{form.application_id}) {
    database.damaged(fmt::format("it is no journal of a {}", form.noun));
  }
  const std::uint64_t version = database.number("PRAGMA user_version");
  expect_version(form, database, version);
  for (const TableDefinition& table : form.tables) expect_table(database, table);
  if (version < std::uint64_t{form.sealed_since}) return;
  expect_table(database, kSealTable);
  database.begin_sums_with(database.number("SELECT origin FROM seal"));
  database.made_in(database.text("SELECT folder FROM seal"));
}

void sync_folder(const JournalForm& form, const std::string& folder) {
  const ipc::UniqueFd fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || fsync(fd.get()) != 0) {
    throw JournalError(
        fmt::format("{} cannot be flushed to its disk ({}): choose another folder "
                    "with {}",
                    folder, std::strerror(errno), form.option));
  }
}

using Open = std::function<std::unique_ptr<SqliteDatabase>(Access)>;

// Takes part in the locks of a rollback journal. What a killed run left in it is undone by the next
// that may write.
std::unique_ptr<SqliteDatabase> open_under_locks(const std::string& folder, const Open& open_as) {
  if (access(folder.c_str(), W_OK) == 0) return open_as(Access::kReadWrite);
  try {
    return open_as(Access::kRead);
  } catch (const JournalError&) {
    return open_as(Access::kImmutable);
  }
}

std::unique_ptr<SqliteDatabase> open_for_reading(const JournalForm& form, const std::string& folder,
                                                 FileSystemKind kind) {
  require_content(form, folder);
  const std::string file = form.file_in(folder);
  const std::string log = file + "-wal";
  const auto open_as = [&](Access access) {
    auto database = std::make_unique<SqliteDatabase>(form, folder, file, access);
    check_identity(form, *database);
    return database;
  };
  if (kind == FileSystemKind::kNetwork) return open_under_locks(folder, open_as);
  // Without a log nobody writes, and an ordinary connection would leave an empty one behind.
  if (size_of(log) == 0) {
    auto database = open_as(Access::kImmutable);
    return database;
  }
  try {
    return open_as(Access::kRead);
  } catch (const JournalError&) {
    // A log whose index is missing and cannot be made: a copy on a read-only medium.
    if (fs::exists(file + "-shm") || access(folder.c_str(), W_OK) == 0) throw;
    return open_as(Access::kUnlocked);
  }
}

bool log_is_empty(const JournalForm& form, const std::string& folder) {
  return size_of(form.file_in(folder) + "-wal") == 0;
}

}  // namespace

std::unique_ptr<SqliteDatabase> draft_database(const JournalForm& form, const std::string& folder) {
  const std::string file = draft_file(form, folder);
  std::error_code ignored;
  fs::remove(file, ignored);
  auto database = std::make_unique<SqliteDatabase>(form, folder, file, Access::kCreate);
  // Not yet a study: a rollback journal would protect nothing.
  database->execute("PRAGMA journal_mode=MEMORY; BEGIN");
  database->execute(fmt::format("PRAGMA application_id={}", form.application_id).c_str());
  database->execute(fmt::format("PRAGMA user_version={}", form.version).c_str());
  for (const TableDefinition& table : form.tables) database->execute(table.sql);
  database->execute(kSealTable.sql);
  database->begin_sums_with(random_number());
  database->made_in(fs::absolute(folder).lexically_normal().string());
  database->execute(form.views);
  return database;
}

void discard_draft(const JournalForm& form, const std::string& folder) {
  std::error_code ignored;
  for (const char* part : {"", "-wal", "-shm"})
    fs::remove(draft_file(form, folder) + part, ignored);
}

void publish_database(const JournalForm& form, std::unique_ptr<SqliteDatabase> draft,
                      const std::string& folder, FileSystemKind kind) {
  RowCounts(form, *draft).write();
  draft->execute("COMMIT");
  const std::string mode = kind == FileSystemKind::kLocal
                               ? draft->text("PRAGMA journal_mode=WAL")
                               : draft->text("PRAGMA journal_mode=TRUNCATE");
  if (mode != "wal" && kind == FileSystemKind::kLocal) {
    throw JournalError(fmt::format(
        "{} (mode {}); name a folder with {} that lies on a local file system: no {} was begun",
        no_shared_memory(folder), mode, form.option, form.noun));
  }
  // The log's index is made by the first that reads: it fails here, or never.
  (void)draft->number("SELECT count(*) FROM sqlite_schema");
  draft.reset();
  std::error_code error;
  // Of one of that name that is gone: SQLite would play them into the new one.
  for (const char* part : {"-wal", "-shm", "-journal"}) {
    fs::remove(form.file_in(folder) + part, error);
  }
  fs::rename(draft_file(form, folder), form.file_in(folder), error);
  if (error) {
    throw JournalError(fmt::format("{} cannot be made ({}): choose another folder with {}",
                                   form.file_in(folder), error.message(), form.option));
  }
  sync_folder(form, folder);
}

std::unique_ptr<SqliteDatabase> open_for_writing(const JournalForm& form, const std::string& folder,
                                                 FileSystemKind kind) {
  require_content(form, folder);
  auto database =
      std::make_unique<SqliteDatabase>(form, folder, form.file_in(folder), Access::kReadWrite);
  check_identity(form, *database);
  const std::string verdict = database->text("PRAGMA quick_check(1)");
  if (verdict != "ok") database->damaged(verdict);
  if (kind == FileSystemKind::kNetwork) {
    // Shorter than deleting the file, which other machines see late.
    database->execute("PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=FULL");
    return database;
  }
  database->execute("PRAGMA journal_mode=WAL");
  // 16 MB of log between checkpoints instead of 4: a checkpoint waits for the disk, and most of its
  // pages are still being appended to.
  database->execute("PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=4000");
  return database;
}

void go_on_after(SqliteDatabase& database, const char* last_time) {
  SqliteStatement row(database, last_time, "last time");
  if (!row.next_computed_row()) return;
  if (const auto last = row.optional_real()) SystemClock::go_on_after(*last);
}

std::unique_ptr<SqliteDatabase> open_beside_writer(const JournalForm& form,
                                                   const std::string& folder) {
  require_content(form, folder);
  auto database =
      std::make_unique<SqliteDatabase>(form, folder, form.file_in(folder), Access::kReadWrite);
  check_identity(form, *database);
  return database;
}

void read_journal(const JournalForm& form, const std::string& folder, FileSystemKind kind,
                  const std::function<void(SqliteDatabase&)>& read) {
  while (true) {
    const bool quiet = log_is_empty(form, folder);
    try {
      read(*open_for_reading(form, folder, kind));
      if (!quiet || log_is_empty(form, folder)) return;
    } catch (const JournalError&) {
      if (!quiet || log_is_empty(form, folder)) throw;
    }
    // A run began to write while the file was read without locks: once more, with them.
  }
}

}  // namespace nightshift::scheduler
