#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "scheduler/journal/file/journal_form.h"

struct sqlite3;
struct sqlite3_stmt;

namespace nightshift::scheduler {

// What is wrong with a file system, as far as it goes.
std::string no_shared_memory(const std::string& folder);

// One connection to a journal. Every failing call throws JournalError that says what
// happened and what to do.
class SqliteDatabase {
 public:
  enum class Access : std::uint8_t {
    kReadWrite,
    kCreate,     // the file must not hold a database yet: a draft, which is none yet
    kRead,       // beside a writer
    kImmutable,  // nobody writes, and there is no WAL: touches nothing but the file
    kUnlocked,   // nobody writes, there is a WAL, and no index of it can be made beside it: the
                 // index is built in memory
  };
  // `folder` is the journal's, for messages; so is `form`, which must live on.
  SqliteDatabase(const JournalForm& form, std::string folder, const std::string& file,
                 Access access);
  ~SqliteDatabase();
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  void execute(const char* sql);
  // The first column of the first row; empty and 0 without one.
  std::string text(const char* sql);
  std::uint64_t number(const char* sql);
  // Flushes the write-ahead log to the disk, as COMMIT does under synchronous=FULL. The pragma
  // itself cannot be changed inside a transaction.
  void sync_log();
  // Throws where the file does not stand where it was opened any more: nobody would find there what
  // is written from now on. Costs a stat().
  void expect_in_place();
  // The last call on this connection failed with `code` while `doing` something.
  [[noreturn]] void fail(int code, std::string_view doing) const;
  // The file holds something else than what was written.
  [[noreturn]] void damaged(std::string_view what) const;

  sqlite3* handle() const { return handle_; }
  // Of a journal that has a seal: check sums of rows begin with this number, which no other journal
  // has.
  void begin_sums_with(std::uint64_t origin);
  // What a check sum is before its first column.
  std::uint32_t first_sum() const { return first_sum_; }
  std::optional<std::uint64_t> origin() const { return origin_; }
  // The folder that the journal was made in, as its seal says it, and the one that it is in.
  const std::string& made_in() const { return made_in_; }
  void made_in(std::string folder) { made_in_ = std::move(folder); }
  const std::string& folder() const { return folder_; }

 private:
  int system_error_of(int primary) const;

  std::string advice(int code, int system_error) const;

  const JournalForm& form_;
  std::string folder_, file_;
  Access access_;
  sqlite3* handle_ = nullptr;
  std::optional<std::uint64_t> origin_;
  std::string made_in_;
  std::uint32_t first_sum_ = 0;
};

// A prepared statement whose last column is the row's check sum: CRC-32C over the other columns in
// order, each as its storage class (one byte), its length (8 bytes) and its bytes (little endian).
// Where the journal has an origin, its 8 bytes come first: the row of another one does not fit.
//
//   insert.bind(7).bind("text").bind_real(x).insert_row();
//   while (select.next_row()) use(select.integer(), select.text(), select.optional_real());
class SqliteStatement {
 public:
  // `row_name` says in messages what a row is, before its first column: "outcome of trial".
  SqliteStatement(SqliteDatabase& database, const char* sql, const char* row_name = "row");
  ~SqliteStatement();
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;

  // --- Writing: parameters in order. Text must live until insert_row(). NaN becomes NULL. ---
  SqliteStatement& bind(std::uint64_t value);
  SqliteStatement& bind(std::string_view text);
  SqliteStatement& bind_real(double value);
  SqliteStatement& bind_optional(const std::optional<double>& value);  // nullopt becomes NULL
  SqliteStatement& bind_null();
  void insert_row();  // binds the check sum, runs, and makes ready for the next row

  void run();  // runs a statement without check sum (BEGIN, COMMIT)

  // --- Reading: next_row() checks the sum; then each column in order. A column of another storage
  // class than asked for is damage. Text is valid until the next next_row(). ---
  bool next_row();
  // The same of a query that counts, whose rows have no check sum.
  bool next_computed_row();
  std::uint64_t integer();
  std::string_view text();
  double real();  // NULL reads as NaN
  std::optional<std::uint64_t> optional_integer();
  bool is_text() const;  // the column that is read next
  std::optional<double> optional_real();
  // The row at hand makes no sense: throws JournalError naming it.
  [[noreturn]] void damaged(std::string_view what) const;

 private:
  void add(char storage_class, const void* data, std::size_t size);
  bool step();
  void check_row();
  int column(int storage_class);

  SqliteDatabase& database_;
  const char* row_name_;
  sqlite3_stmt* statement_ = nullptr;
  int next_ = 0;                               // parameter bound last, or column read next
  std::uint32_t sum_ = database_.first_sum();  // of the columns so far
};

}  // namespace nightshift::scheduler
