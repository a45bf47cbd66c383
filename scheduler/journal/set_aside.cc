#include "scheduler/journal/set_aside.h"

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

namespace nightshift::scheduler {
namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& text) {
  std::string sql = "'";
  for (const char c : text) sql += c == '\'' ? std::string("''") : std::string(1, c);
  return sql + "'";
}

void flush(const std::string& path) {
  const ipc::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd && fsync(fd.get()) == 0) return;
  throw JournalError(fmt::format(
      "{} cannot be flushed to its disk ({}): see whether there is space, then try again", path,
      std::strerror(errno)));
}

}  // namespace

void copy_journal(SqliteDatabase& database, const std::string& after) {
  std::error_code error;
  fs::create_directories(after, error);
  if (error) {
    throw JournalError(
        fmt::format("the folder {} cannot be made ({}): see whether there is space, then try again",
                    after, error.message()));
  }
  database.execute(("VACUUM INTO " + quoted(kStudyJournal.file_in(after))).c_str());
  flush(kStudyJournal.file_in(after));
  flush(after);
}

void discard_copy(const std::string& after) {
  std::error_code ignored;
  fs::remove(kStudyJournal.file_in(after), ignored);
  fs::remove(after, ignored);  // where it is empty
}

void end_log(SqliteDatabase& database, const std::string& folder) {
  if (database.text("PRAGMA journal_mode=DELETE") == "delete") return;
  throw JournalError(fmt::format(
      "another program reads the journal of {}, which is to be set aside: end it, then try again",
      folder));
}

}  // namespace nightshift::scheduler
