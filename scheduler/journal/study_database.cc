#include "scheduler/journal/study_database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "ipc/unique_fd.h"
#include "scheduler/errors.h"
#include "scheduler/journal/sqlite_schema.h"
#include "scheduler/journal/study_lock.h"

namespace nightshift::scheduler {

namespace {

namespace fs = std::filesystem;
using Access = SqliteDatabase::Access;

std::string draft_file(const std::string& folder) { return journal_file(folder) + ".new"; }

std::uintmax_t size_of(const std::string& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  return error ? 0 : size;
}

void require_content(const std::string& folder) {
  const std::string file = journal_file(folder);
  std::error_code error;
  if (!fs::exists(file, error)) {
    throw JournalError(fmt::format(
        "{} holds no study{}: `nightshift tune PROBLEM --study {}` starts one", folder,
        error ? fmt::format(" that can be reached ({})", error.message()) : "", folder));
  }
  if (size_of(file) == 0) {
    throw JournalError(fmt::format(
        "the journal {} is damaged: the file is empty; a copy of the folder from a backup can be "
        "resumed",
        file));
  }
}

void check_identity(SqliteDatabase& database) {
  if (database.number("PRAGMA application_id") != std::uint64_t{kApplicationId}) {
    database.damaged("it is no journal of a study");
  }
  const std::uint64_t version = database.number("PRAGMA user_version");
  if (version > std::uint64_t{kSchemaVersion}) {
    throw JournalError(fmt::format(
        "the study was written by a newer version of Nightshift (journal version {}, this one "
        "reads {}): use that version",
        version, kSchemaVersion));
  }
  if (version > 0 && version < std::uint64_t{kSchemaVersion}) {
    throw JournalError(fmt::format(
        "the study was written by an earlier version of Nightshift (journal version {}, this one "
        "reads {}): use that version, or start a new study",
        version, kSchemaVersion));
  }
  if (version != std::uint64_t{kSchemaVersion}) database.damaged("its version is unknown");
  for (const TableDefinition& table : kTables) {
    const std::string query = fmt::format(
        "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = '{}'", table.name);
    if (database.text(query.c_str()) != table.sql) {
      database.damaged(fmt::format("table {} is missing or has changed", table.name));
    }
  }
}

void sync_folder(const std::string& folder) {
  const ipc::UniqueFd fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || fsync(fd.get()) != 0) {
    throw JournalError(
        fmt::format("{} cannot be flushed to its disk ({}): choose another folder "
                    "with --study",
                    folder, std::strerror(errno)));
  }
}

}  // namespace

std::unique_ptr<SqliteDatabase> draft_database(const std::string& folder) {
  const std::string file = draft_file(folder);
  std::error_code ignored;
  fs::remove(file, ignored);
  auto database = std::make_unique<SqliteDatabase>(folder, file, Access::kCreate);
  // Not yet a study: a rollback journal would protect nothing.
  database->execute("PRAGMA journal_mode=MEMORY; BEGIN");
  database->execute(fmt::format("PRAGMA application_id={}", kApplicationId).c_str());
  database->execute(fmt::format("PRAGMA user_version={}", kSchemaVersion).c_str());
  for (const TableDefinition& table : kTables) database->execute(table.sql);
  database->execute(kViews);
  return database;
}

void discard_draft(const std::string& folder) {
  std::error_code ignored;
  for (const char* part : {"", "-wal", "-shm"}) fs::remove(draft_file(folder) + part, ignored);
}

void publish_database(std::unique_ptr<SqliteDatabase> draft, const std::string& folder) {
  draft->execute("COMMIT");
  const std::string mode = draft->text("PRAGMA journal_mode=WAL");
  if (mode != "wal") {
    throw JournalError(fmt::format(
        "{} (mode {}); name a folder with --study that lies on a local file system: no study was "
        "begun",
        no_shared_memory(folder), mode));
  }
  // The log's index is made by the first that reads: it fails here, or never.
  (void)draft->number("SELECT count(*) FROM study");
  draft.reset();
  std::error_code error;
  fs::rename(draft_file(folder), journal_file(folder), error);
  if (error) {
    throw JournalError(fmt::format("{} cannot be made ({}): choose another folder with --study",
                                   journal_file(folder), error.message()));
  }
  sync_folder(folder);
}

std::unique_ptr<SqliteDatabase> open_for_writing(const std::string& folder) {
  require_content(folder);
  auto database =
      std::make_unique<SqliteDatabase>(folder, journal_file(folder), Access::kReadWrite);
  check_identity(*database);
  const std::string verdict = database->text("PRAGMA quick_check(1)");
  if (verdict != "ok") database->damaged(verdict);
  // 16 MB of log between checkpoints instead of 4: a checkpoint waits for the disk, and most of its
  // pages are still being appended to.
  database->execute("PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=4000");
  return database;
}

std::unique_ptr<SqliteDatabase> open_for_reading(const std::string& folder) {
  require_content(folder);
  const std::string file = journal_file(folder);
  const std::string log = file + "-wal";
  const auto open_as = [&](Access access) {
    auto database = std::make_unique<SqliteDatabase>(folder, file, access);
    check_identity(*database);
    return database;
  };
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

}  // namespace nightshift::scheduler
