#include "scheduler/journal/file/sqlite_statement.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "ipc/record.h"
#include "scheduler/errors.h"

namespace nightshift::scheduler {

namespace {

// How long another program (a shell, a backup) may hold the write lock before the run gives up.
constexpr int kBusyMilliseconds = 10'000;

std::string as_uri(const std::string& file) {
  std::string uri = "file:";
  for (const char c : file) {
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

bool out_of_space(int code, int system_error) {
  return code == SQLITE_FULL || system_error == ENOSPC || system_error == EDQUOT ||
         system_error == EFBIG;
}

std::string no_space_left(int system_error) {
  const std::string none = "there is no space left for it";
  if (system_error != EFBIG) return none + "; free some";
  return none + " below the limit of a file's size; raise that (`ulimit -f unlimited`)";
}

// The log's index is shared memory.
bool cannot_share_memory(int code) {
  return code == SQLITE_IOERR_SHMOPEN || code == SQLITE_IOERR_SHMSIZE ||
         code == SQLITE_IOERR_SHMLOCK || code == SQLITE_IOERR_SHMMAP;
}

}  // namespace

std::string no_shared_memory(const std::string& folder) {
  return fmt::format(
      "the file system of {} cannot share memory between processes, which the journal's log needs",
      folder);
}

SqliteDatabase::SqliteDatabase(const JournalForm& form, std::string folder, const std::string& file,
                               Access access)
    : form_(form), folder_(std::move(folder)), file_(file), access_(access) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  flags |= access == Access::kCreate      ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
           : access == Access::kReadWrite ? SQLITE_OPEN_READWRITE
                                          : SQLITE_OPEN_READONLY;
  const bool immutable = access == Access::kImmutable;
  if (immutable) flags |= SQLITE_OPEN_URI;
  const std::string name = immutable ? as_uri(file) : file;
  const char* vfs = access == Access::kUnlocked ? "unix-none" : nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &handle_, flags, vfs);
  try {
    if (code != SQLITE_OK) fail(code, "opened");
    sqlite3_busy_timeout(handle_, kBusyMilliseconds);
    execute("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON");
    if (access == Access::kUnlocked) execute("PRAGMA locking_mode=EXCLUSIVE");
  } catch (...) {
    sqlite3_close_v2(handle_);
    throw;
  }
}

SqliteDatabase::~SqliteDatabase() { sqlite3_close_v2(handle_); }

void SqliteDatabase::execute(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code, "used");
}

std::string SqliteDatabase::text(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(handle_, sql, -1, &statement, nullptr);
  if (code != SQLITE_OK) fail(code, "read");
  code = sqlite3_step(statement);
  std::string result;
  if (code == SQLITE_ROW) {
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    if (data != nullptr) result = data;
  }
  sqlite3_finalize(statement);
  if (code != SQLITE_ROW && code != SQLITE_DONE) fail(code, "read");
  return result;
}

std::uint64_t SqliteDatabase::number(const char* sql) {
  return std::strtoull(text(sql).c_str(), nullptr, 10);
}

void SqliteDatabase::begin_sums_with(std::uint64_t origin) {
  origin_ = origin;
  first_sum_ = ipc::crc32c(0, std::as_bytes(std::span(&origin, 1)));
}

void SqliteDatabase::sync_log() {
  sqlite3_file* log = nullptr;
  int code = sqlite3_file_control(handle_, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (code == SQLITE_OK && log != nullptr && log->pMethods != nullptr) {
    code = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
  }
  if (code != SQLITE_OK) fail(code, "flushed");
}

void SqliteDatabase::expect_in_place() {
  int has_moved = 0;
  const int code = sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
  if (code != SQLITE_OK || has_moved == 0) return;
  throw JournalError(fmt::format(
      "the {} {} was removed or moved while it was written, so nothing more is measured; where it "
      "was moved, `{}` goes on in its new place",
      form_.noun, folder_, form_.goes_on_elsewhere));
}

// The number that the system gave with an error of kind `primary`; 0 without one.
int SqliteDatabase::system_error_of(int primary) const {
  if (handle_ == nullptr || (primary != SQLITE_IOERR && primary != SQLITE_CANTOPEN)) return 0;
  if (const int error = sqlite3_system_errno(handle_); error != 0) return error;
  // SQLite does not ask for it when a COMMIT fails; the log and the main file still know.
  int error = 0;
  sqlite3_file* log = nullptr;
  if (sqlite3_file_control(handle_, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK &&
      log != nullptr && log->pMethods != nullptr) {
    log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &error);
  }
  if (error == 0) sqlite3_file_control(handle_, "main", SQLITE_FCNTL_LAST_ERRNO, &error);
  return error;
}

// What to do, with an extended result code. It promises no more than what this connection knows: a
// draft is none yet, and whoever only reads has written nothing.
std::string SqliteDatabase::advice(int code, int system_error) const {
  const bool is_draft = access_ == Access::kCreate;
  const bool writes = is_draft || access_ == Access::kReadWrite;
  const bool full = out_of_space(code & 0xff, system_error);
  std::string again = "try again", state = "nothing was changed";
  if (is_draft) {
    again = "start it again";
    state = fmt::format("no {} was begun", form_.noun);
  } else if (writes) {
    again = fmt::format("continue with `{}`", form_.to_go_on(folder_));
    state = full ? "everything up to the last finished turn is kept"
                 : "what reached the disk before is kept";
  }
  if (full) return no_space_left(system_error) + fmt::format(" and {}: {}", again, state);
  if (cannot_share_memory(code)) {
    return fmt::format("{}; {} a local file system: {}", no_shared_memory(folder_),
                       is_draft ? fmt::format("name a folder with {} that lies on", form_.option)
                                : fmt::format("go on with a copy of the {} on", form_.noun),
                       state);
  }
  switch (code & 0xff) {
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return fmt::format("check that {} exists, that you may {} there{}", folder_,
                         writes ? "write" : "read",
                         writes ? " and that its file system is not read-only" : "");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return fmt::format(
          "the file is damaged; what can be read of it comes out of `sqlite3 {} .recover`; a "
          "copy of the folder from a backup can be resumed",
          file_);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fmt::format("another program holds the file; close it and {}: {}", again, state);
    default:
      return fmt::format("see to the disk or the file system and {}: {}", again, state);
  }
}

void SqliteDatabase::fail(int code, std::string_view doing) const {
  const int primary = code & 0xff;
  const int system_error = system_error_of(primary);
  const bool same = handle_ != nullptr && sqlite3_extended_errcode(handle_) == code;
  std::string cause = same ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
  if (system_error != 0) cause += fmt::format(": {}", std::strerror(system_error));
  throw JournalError(fmt::format("the journal {} cannot be {} ({}): {}", file_, doing, cause,
                                 advice(code, system_error)));
}

void SqliteDatabase::damaged(std::string_view what) const {
  throw JournalError(fmt::format("the journal {} is not as it was written ({}): {}", file_, what,
                                 advice(SQLITE_CORRUPT, 0)));
}

SqliteStatement::SqliteStatement(SqliteDatabase& database, const char* sql, const char* row_name)
    : database_(database), row_name_(row_name) {
  const int code = sqlite3_prepare_v3(database_.handle(), sql, -1, SQLITE_PREPARE_PERSISTENT,
                                      &statement_, nullptr);
  if (code != SQLITE_OK) database_.fail(code, "read");
}

SqliteStatement::~SqliteStatement() { sqlite3_finalize(statement_); }

void SqliteStatement::add(char storage_class, const void* data, std::size_t size) {
  std::array<std::byte, 1 + sizeof(std::uint64_t)> head{static_cast<std::byte>(storage_class)};
  const std::uint64_t length = size;
  std::memcpy(&head[1], &length, sizeof length);
  sum_ = ipc::crc32c(sum_, head);
  sum_ = ipc::crc32c(sum_, {static_cast<const std::byte*>(data), size});
}

SqliteStatement& SqliteStatement::bind(std::uint64_t value) {
  add('i', &value, sizeof value);
  const int code = sqlite3_bind_int64(statement_, ++next_, static_cast<sqlite3_int64>(value));
  if (code != SQLITE_OK) database_.fail(code, "written");
  return *this;
}

SqliteStatement& SqliteStatement::bind(std::string_view text) {
  add('t', text.data(), text.size());
  // A null pointer would be stored as NULL.
  const char* data = text.empty() ? "" : text.data();
  const int code =
      sqlite3_bind_text64(statement_, ++next_, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  if (code != SQLITE_OK) database_.fail(code, "written");
  return *this;
}

SqliteStatement& SqliteStatement::bind_real(double value) {
  if (std::isnan(value)) return bind_null();
  value += 0.0;  // SQLite does not keep the sign of zero
  add('r', &value, sizeof value);
  const int code = sqlite3_bind_double(statement_, ++next_, value);
  if (code != SQLITE_OK) database_.fail(code, "written");
  return *this;
}

SqliteStatement& SqliteStatement::bind_optional(const std::optional<double>& value) {
  return value ? bind_real(*value) : bind_null();
}

SqliteStatement& SqliteStatement::bind_null() {
  add('n', nullptr, 0);
  const int code = sqlite3_bind_null(statement_, ++next_);
  if (code != SQLITE_OK) database_.fail(code, "written");
  return *this;
}

void SqliteStatement::insert_row() {
  const int code = sqlite3_bind_int64(statement_, ++next_, sum_);
  if (code != SQLITE_OK) database_.fail(code, "written");
  run();
}

void SqliteStatement::run() {
  next_ = 0;
  sum_ = database_.first_sum();
  const int code = sqlite3_step(statement_);
  if (code != SQLITE_DONE) database_.fail(code, "written");
  sqlite3_reset(statement_);
}

bool SqliteStatement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement_);
    return false;
  }
  if (code != SQLITE_ROW) database_.fail(code, "read");
  next_ = 0;
  return true;
}

bool SqliteStatement::next_row() {
  if (!step()) return false;
  check_row();
  return true;
}

bool SqliteStatement::next_computed_row() { return step(); }

void SqliteStatement::check_row() {
  sum_ = database_.first_sum();
  const int last = sqlite3_column_count(statement_) - 1;
  for (int i = 0; i < last; ++i) {
    switch (sqlite3_column_type(statement_, i)) {
      case SQLITE_INTEGER: {
        const sqlite3_int64 value = sqlite3_column_int64(statement_, i);
        add('i', &value, sizeof value);
        break;
      }
      case SQLITE_FLOAT: {
        const double value = sqlite3_column_double(statement_, i);
        add('r', &value, sizeof value);
        break;
      }
      case SQLITE_NULL:
        add('n', nullptr, 0);
        break;
      default: {
        const void* data = sqlite3_column_blob(statement_, i);
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, i));
        if (data == nullptr && size > 0) database_.fail(SQLITE_NOMEM, "read");
        add('t', data, size);
      }
    }
  }
  if (sqlite3_column_type(statement_, last) != SQLITE_INTEGER ||
      sqlite3_column_int64(statement_, last) != static_cast<sqlite3_int64>(sum_)) {
    damaged("does not fit its check sum");
  }
}

int SqliteStatement::column(int storage_class) {
  const int i = next_++;
  if (sqlite3_column_type(statement_, i) != storage_class) {
    damaged(fmt::format("has another type in `{}`", sqlite3_column_name(statement_, i)));
  }
  return i;
}

std::uint64_t SqliteStatement::integer() {
  return static_cast<std::uint64_t>(sqlite3_column_int64(statement_, column(SQLITE_INTEGER)));
}

std::string_view SqliteStatement::text() {
  const int i = column(SQLITE_TEXT);
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, i));
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, i))};
}

double SqliteStatement::real() {
  return optional_real().value_or(std::numeric_limits<double>::quiet_NaN());
}

std::optional<std::uint64_t> SqliteStatement::optional_integer() {
  if (sqlite3_column_type(statement_, next_) == SQLITE_NULL) {
    ++next_;
    return std::nullopt;
  }
  return integer();
}

bool SqliteStatement::is_text() const {
  return sqlite3_column_type(statement_, next_) == SQLITE_TEXT;
}

std::optional<double> SqliteStatement::optional_real() {
  if (sqlite3_column_type(statement_, next_) == SQLITE_NULL) {
    ++next_;
    return std::nullopt;
  }
  return sqlite3_column_double(statement_, column(SQLITE_FLOAT));
}

void SqliteStatement::damaged(std::string_view what) const {
  const auto* key = reinterpret_cast<const char*>(sqlite3_column_text(statement_, 0));
  database_.damaged(fmt::format("{} {} {}", row_name_, key != nullptr ? key : "", what));
}

}  // namespace nightshift::scheduler
