#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "scheduler/journal/batch_journal.h"
#include "scheduler/journal/batch_schema.h"
#include "scheduler/journal/batch_terms_text.h"
#include "scheduler/journal/file/journal_database.h"
#include "scheduler/journal/file/journal_lock.h"
#include "scheduler/journal/file/row_counts.h"
#include "scheduler/journal/file/sqlite_statement.h"
#include "scheduler/journal/moved_study.h"

namespace nightshift::scheduler {
namespace {

BatchStudyState state_of(const SqliteStatement& row, std::string_view name) {
  const auto found = std::ranges::find(kBatchStudyStates, name);
  if (found == kBatchStudyStates.end()) {
    row.damaged("has the unknown word '" + std::string(name) + "'");
  }
  return static_cast<BatchStudyState>(found - kBatchStudyStates.begin());
}

// Reads all tables of a batch.
class BatchReader {
 public:
  explicit BatchReader(SqliteDatabase& database) : database_(database) {}

  BatchRecord read() {
    database_.execute("BEGIN");
    expect_row_counts(kBatchJournal, database_);
    expect_requests();
    read_batch();
    read_studies();
    read_states();
    read_progress();
    read_devices();
    read_leases();
    read_runs();
    read_events();
    database_.execute("COMMIT");
    follow(MovedFolder(database_.made_in(), database_.folder()), record_.studies);
    return std::move(record_);
  }

 private:
  // Requests are anybody's to write, so that nobody counts them; an answered one was there.
  void expect_requests() {
    const bool has_gap = database_.number("SELECT count(*) FROM requests") !=
                         database_.number("SELECT max(request) FROM requests");
    if (has_gap || database_.number("SELECT count(*) FROM answers WHERE request NOT IN "
                                    "(SELECT request FROM requests)") > 0) {
      database_.damaged("rows of the table requests are missing");
    }
  }

  void read_batch() {
    SqliteStatement row(database_, "SELECT * FROM batch", "batch");
    if (!row.next_row()) database_.damaged("it does not say which batch it is");
    record_.name = row.text();
    record_.version = row.text();
  }

  void read_studies() {
    SqliteStatement row(database_, "SELECT * FROM studies ORDER BY position", "study");
    while (row.next_row()) {
      if (row.integer() != record_.studies.size()) row.damaged("is out of order");
      BatchStudyRecord study;
      try {
        study.terms = terms_from_json(row.text());
      } catch (const nlohmann::json::exception& error) {
        row.damaged(error.what());
      }
      positions_[study.terms.name] = record_.studies.size();
      record_.studies.push_back(std::move(study));
    }
  }

  // Of a study that the batch does not have any more, nothing is told.
  BatchStudyRecord* find(std::string_view name) {
    const auto found = positions_.find(name);
    return found == positions_.end() ? nullptr : &record_.studies[found->second];
  }

  void read_states() {
    const bool has_levels = database_.number("PRAGMA user_version") >= kFirstWithLevelsOfTests;
    SqliteStatement row(database_, "SELECT * FROM states ORDER BY change", "state");
    while (row.next_row()) {
      (void)row.integer();
      BatchStudyRecord* study = find(row.text());
      const BatchStudyState state = state_of(row, row.text());
      std::string reason(row.text());
      const auto ratio = row.optional_real();
      BatchClaim claim{ratio.value_or(1), {}, 1, 0};
      claim.interval.low = row.real();
      claim.interval.high = row.real();
      claim.p_value = row.real();
      claim.level = row.real();
      if (has_levels) claim.interval.confidence = 1 - 2 * claim.level;
      const double at = row.real();
      if (study == nullptr) continue;
      if (state == BatchStudyState::kRunning) {
        if (!study->began) study->began = at;
        study->ended.reset();
      } else if (study->state == BatchStudyState::kRunning) {
        study->ended = at;
      }
      study->state = state;
      study->reason = std::move(reason);
      study->since = at;
      study->claim = ratio ? std::optional(claim) : std::nullopt;
    }
  }

  void read_progress() {
    SqliteStatement row(database_, "SELECT * FROM progress", "progress of");
    while (row.next_row()) {
      BatchStudyRecord* study = find(row.text());
      BatchProgressRow progress;
      progress.trials = row.integer();
      progress.measured = row.integer();
      progress.failed = row.integer();
      progress.accepted = row.integer();
      progress.activity = row.text();
      progress.best = row.optional_real();
      progress.incumbent = row.optional_real();
      progress.elapsed = row.real();
      progress.limit = row.real();
      progress.budget_used = row.real();
      progress.at = row.real();
      if (study != nullptr) study->progress = std::move(progress);
    }
  }

  void read_devices() {
    SqliteStatement row(database_, "SELECT * FROM devices ORDER BY rowid", "device");
    while (row.next_row()) {
      BatchDeviceRecord device;
      device.uuid = row.text();
      device.model = row.text();
      device.study = row.text();
      device.activity = row.text();
      device.busy_seconds = row.real();
      record_.devices.push_back(std::move(device));
    }
  }

  void read_leases() {
    SqliteStatement row(database_, "SELECT * FROM leases ORDER BY change", "lease");
    std::map<std::pair<std::string, std::string>, std::size_t> open;
    while (row.next_row()) {
      (void)row.integer();
      BatchLease lease;
      lease.study = row.text();
      lease.device = row.text();
      const std::string kind(row.text());
      lease.from = row.real();
      const auto key = std::pair(lease.study, lease.device);
      if (const auto held = open.find(key); held != open.end()) {
        record_.leases[held->second].until = lease.from;
        open.erase(held);
      }
      if (kind == "none") continue;
      if (kind != "guest" && kind != "owner") row.damaged("is of the unknown kind '" + kind + "'");
      lease.guest = kind == "guest";
      open[key] = record_.leases.size();
      record_.leases.push_back(std::move(lease));
    }
  }

  void read_runs() {
    SqliteStatement row(database_, "SELECT * FROM runs ORDER BY run", "run");
    while (row.next_row()) {
      (void)row.integer();
      BatchRunRecord run;
      run.process = row.text();
      run.started = row.real();
      run.deadline = row.optional_real();
      run.ended = row.optional_real();
      run.status = row.text();
      run.reason = row.text();
      record_.runs.push_back(std::move(run));
    }
  }

  void read_events() {
    SqliteStatement row(database_, "SELECT * FROM events ORDER BY event", "event");
    std::vector<std::size_t> of_merge;  // notices
    while (row.next_row()) {
      (void)row.integer();
      BatchEventRecord event;
      event.study = row.text();
      event.kind = row.text();
      event.text = row.text();
      event.at = row.real();
      if (event.kind == kMergeEvent) {
        for (; !of_merge.empty(); of_merge.pop_back()) {
          record_.events.erase(record_.events.begin() +
                               static_cast<std::ptrdiff_t>(of_merge.back()));
        }
        continue;
      }
      if (event.kind == kMadeUpEvent) {
        BatchStudyRecord* study = find(event.study);
        if (study != nullptr) study->made_up = std::max(0.0, shift_from_text(event.text));
        continue;
      }
      if (event.kind == kMergeNotice) {
        of_merge.push_back(record_.events.size());
        event.kind = "notice";
      }
      record_.events.push_back(std::move(event));
    }
  }

  SqliteDatabase& database_;
  BatchRecord record_;
  std::map<std::string, std::size_t, std::less<>> positions_;
};

// What a run that was killed had at its end, it has no more. The time is that of the last sign of
// life.
void close_what_is_cut_off(BatchRecord& record) {
  if (record.writer) return;
  double last = 0;
  for (const BatchEventRecord& event : record.events) last = std::max(last, event.at);
  for (const BatchStudyRecord& study : record.studies) {
    last = std::max({last, study.since, study.progress ? study.progress->at : 0});
  }
  for (BatchLease& lease : record.leases) {
    if (!lease.until) lease.until = std::max(last, lease.from);
  }
  for (BatchStudyRecord& study : record.studies) {
    if (study.state != BatchStudyState::kRunning) continue;
    study.state = BatchStudyState::kInterrupted;
    study.reason = "the batch was cut off";
    study.ended = last;
  }
  for (BatchDeviceRecord& device : record.devices) device.study = device.activity = "";
}

}  // namespace

BatchRecord load_batch(const std::string& folder) {
  const std::optional<std::string> writer = writer_of(kBatchJournal, folder);
  BatchRecord record;
  read_journal(kBatchJournal, folder, file_system_at(folder),
               [&](SqliteDatabase& database) { record = BatchReader(database).read(); });
  record.writer = writer ? writer : writer_of(kBatchJournal, folder);
  close_what_is_cut_off(record);
  return record;
}

bool is_running(const std::string& folder) { return writer_of(kBatchJournal, folder).has_value(); }

bool holds_batch(const std::string& folder) {
  std::error_code ignored;
  return std::filesystem::exists(kBatchJournal.file_in(folder), ignored);
}

}  // namespace nightshift::scheduler
