// A study's or a batch's files, or the texts in its rows, as anybody may have left them: whoever
// reads or opens them takes them or throws JournalError.
//
//   'F', 4 bytes little endian: length of journal.sqlite, its bytes, then those of the log
//   'R', then parts separated by 0: configuration, outcome, status, job, overrides; and where a
//        confirmation is to be there: evidence, devices
//   'B', as 'F', of batch.sqlite: load_batch, and what is computed from a batch's record
//   'T', then parts separated by 0, of a batch: terms of a study, its state, its name, kind of a
//        lease
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "scheduler/errors.h"
#include "scheduler/journal/batch_journal.h"
#include "scheduler/journal/batch_schema.h"
#include "scheduler/journal/file/row_counts.h"
#include "scheduler/journal/file/sqlite_statement.h"
#include "scheduler/journal/sqlite_journal.h"
#include "scheduler/journal/sqlite_schema.h"
#include "scheduler/journal/study_outline.h"
#include "scheduler/summary/batch_summary.h"
#include "scheduler/summary/batch_time.h"

namespace {

using namespace nightshift;
namespace fs = std::filesystem;

// The study that is written to, in memory where that exists; removed when the program ends well.
// The name is never destroyed, since it is needed then.
const std::string& folder() {
  static const std::string& path = *new std::string([] {
    std::string name =
        fs::is_directory("/dev/shm") ? "/dev/shm/journal-fuzz-XXXXXX" : "/tmp/journal-fuzz-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) std::abort();
    std::atexit([] { fs::remove_all(folder()); });
    return name;
  }());
  return path;
}

void write_file(const std::string& path, const void* data, std::size_t size) {
  std::ofstream(path, std::ios::binary)
      .write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
}

void read_all_ways() {
  try {
    scheduler::load_outline(folder());
  } catch (const scheduler::JournalError&) {
  }
  try {
    const scheduler::History history = scheduler::load_history(folder(), scheduler::Detail::kFull);
    std::size_t finished = 0;
    for (const scheduler::TrialRecord& trial : history.trials) {
      finished += trial.finished ? 1 : 0;
    }
    // What is read fits itself.
    if (history.events.size() !=
        history.trials.size() + finished + history.confirmations.size() + history.verdicts.size()) {
      std::abort();
    }
  } catch (const scheduler::JournalError&) {
  }
  try {
    scheduler::SqliteJournal::open(folder());
  } catch (const scheduler::JournalError&) {
  }
}

void read_batch_all_ways() {
  try {
    const scheduler::BatchRecord record = scheduler::load_batch(folder());
    const scheduler::BatchSummary summary = scheduler::summarise(record, 1e9);
    const scheduler::BatchTime time = scheduler::batch_time(record, 1e9);
    if (summary.holds.size() != record.studies.size() ||
        time.leases.size() != record.leases.size()) {
      std::abort();
    }
  } catch (const scheduler::JournalError&) {
  }
}

void try_files(const std::uint8_t* data, std::size_t size, const std::string& name) {
  std::uint32_t wanted = 0;
  if (size < sizeof wanted) return;
  std::memcpy(&wanted, data, sizeof wanted);
  data += sizeof wanted;
  size -= sizeof wanted;
  const std::size_t main = std::min<std::size_t>(wanted, size);
  write_file(folder() + "/" + name, data, main);
  write_file(folder() + "/" + name + "-wal", data + main, size - main);
}

// An empty study's file, made once.
const std::string& empty_study() {
  static const std::string bytes = [] {
    scheduler::SqliteJournal::create(folder(), {}, {});
    std::ifstream in(folder() + "/journal.sqlite", std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  }();
  return bytes;
}

void insert_confirmation(scheduler::SqliteDatabase& database, std::string_view evidence,
                         std::string_view devices) {
  scheduler::SqliteStatement(database, "INSERT INTO confirmations VALUES(?,?,?,?,?,?,?,?,?,?)")
      .bind(3)
      .bind(1)
      .bind("duel")
      .bind(0)
      .bind(0)
      .bind(devices)
      .bind(0)
      .bind_real(0)
      .bind_real(0)
      .insert_row();
  scheduler::SqliteStatement(database, "INSERT INTO verdicts VALUES(?,?,?,?,?,?,?,?,?,?,?,?)")
      .bind(4)
      .bind(1)
      .bind(0)
      .bind("accept")
      .bind("")
      .bind_real(1)
      .bind_real(1)
      .bind_real(1)
      .bind_real(1)
      .bind(evidence)
      .bind_real(0)
      .insert_row();
}

// The parts of a text that are separated by 0.
template <std::size_t count>
std::array<std::string_view, count> parts_of(std::string_view text) {
  std::array<std::string_view, count> parts;
  for (std::string_view& part : parts) {
    part = text.substr(0, text.find('\0'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
  }
  return parts;
}

void try_rows(std::string_view text) {
  const auto [configuration, outcome, status, job, overrides, evidence, devices] =
      parts_of<7>(text);
  const std::string& study = empty_study();
  const std::string file = folder() + "/journal.sqlite";
  fs::remove(file + "-wal");
  write_file(file, study.data(), study.size());
  {
    using Access = scheduler::SqliteDatabase::Access;
    scheduler::SqliteDatabase database(scheduler::kStudyJournal, folder(), file,
                                       Access::kReadWrite);
    database.begin_sums_with(database.number("SELECT origin FROM seal"));
    database.execute("DELETE FROM study");
    scheduler::SqliteStatement(database, "INSERT INTO study VALUES(?,?,?,?,?,?,?,?)")
        .bind("")
        .bind("")
        .bind("")
        .bind(overrides)
        .bind("")
        .bind(database.number("SELECT count(*) FROM environment"))
        .bind_real(0)
        .insert_row();
    scheduler::SqliteStatement(database, "INSERT INTO proposals VALUES(?,?,?,?,?,?,?,?,?,?,?,?)")
        .bind(1)
        .bind(1)
        .bind(job)
        .bind_null()
        .bind(configuration)
        .bind("")
        .bind(0)
        .bind(0)
        .bind(0)
        .bind("none")
        .bind_real(0)
        .insert_row();
    scheduler::SqliteStatement(database,
                               "INSERT INTO outcomes VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
        .bind(1)
        .bind(2)
        .bind(status)
        .bind("")
        .bind(outcome)
        .bind(1)
        .bind("")
        .bind("")
        .bind_null()
        .bind_null()
        .bind_null()
        .bind_real(0)
        .bind_real(0)
        .bind_real(0)
        .bind_real(0)
        .bind_real(0)
        .bind_real(0)
        .insert_row();
    if (!evidence.empty()) insert_confirmation(database, evidence, devices);
    scheduler::RowCounts(scheduler::kStudyJournal, database).write();
  }
  read_all_ways();
}

// An empty batch's file, made once.
const std::string& empty_batch() {
  static const std::string bytes = [] {
    { const scheduler::BatchJournal journal(folder(), "night"); }
    std::ifstream in(folder() + "/batch.sqlite", std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  }();
  return bytes;
}

void try_batch_rows(std::string_view text) {
  const auto [terms, state, name, kind] = parts_of<4>(text);
  const std::string& batch = empty_batch();
  const std::string file = folder() + "/batch.sqlite";
  fs::remove(file + "-wal");
  write_file(file, batch.data(), batch.size());
  {
    scheduler::SqliteDatabase database(scheduler::kBatchJournal, folder(), file,
                                       scheduler::SqliteDatabase::Access::kReadWrite);
    database.begin_sums_with(database.number("SELECT origin FROM seal"));
    scheduler::SqliteStatement(database, "INSERT INTO studies VALUES(?,?,?)")
        .bind(0)
        .bind(terms)
        .insert_row();
    scheduler::SqliteStatement states(database, "INSERT INTO states VALUES(?,?,?,?,?,?,?,?,?,?,?)");
    states.bind(1).bind(name).bind(state).bind("").bind_real(0.5).bind_real(0.4).bind_real(0.6);
    states.bind_real(0.001).bind_real(0.01).bind_real(2).insert_row();
    scheduler::SqliteStatement leases(database, "INSERT INTO leases VALUES(?,?,?,?,?,?)");
    leases.bind(1).bind(name).bind("gpu:0").bind(kind).bind_real(1).insert_row();
    scheduler::RowCounts(scheduler::kBatchJournal, database).write();
  }
  read_batch_all_ways();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::error_code ignored;
  fs::remove(folder() + "/journal.sqlite-shm", ignored);
  fs::remove(folder() + "/batch.sqlite-shm", ignored);
  if (data[0] == 'F') {
    try_files(data + 1, size - 1, "journal.sqlite");
    read_all_ways();
  }
  if (data[0] == 'B') {
    try_files(data + 1, size - 1, "batch.sqlite");
    read_batch_all_ways();
  }
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 'R') try_rows(text);
  if (data[0] == 'T') try_batch_rows(text);
  return 0;
}
