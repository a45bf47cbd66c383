#include "scheduler/journal/batch_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "ipc/file_lock.h"
#include "scheduler/clock.h"
#include "scheduler/errors.h"
#include "scheduler/journal/batch_schema.h"
#include "scheduler/journal/batch_terms_text.h"
#include "scheduler/journal/file/journal_database.h"
#include "scheduler/journal/file/journal_lock.h"
#include "scheduler/journal/file/journal_turn.h"
#include "scheduler/journal/file/sqlite_statement.h"

namespace nightshift::scheduler {
namespace {

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return;
  throw JournalError(
      fmt::format("the folder {} cannot be made ({}): choose another one with --batch", folder,
                  error.message()));
}

// Under the lock.
std::unique_ptr<SqliteDatabase> open_or_make(const std::string& folder, const std::string& name) {
  if (holds_batch(folder)) {
    auto database = open_for_writing(kBatchJournal, folder, file_system_at(folder));
    database->execute("BEGIN");
    expect_row_counts(kBatchJournal, *database);
    database->execute("COMMIT");
    go_on_after(*database, kLastTimeOfBatch);
    return database;
  }
  try {
    auto draft = draft_database(kBatchJournal, folder);
    {
      SqliteStatement batch(*draft, "INSERT INTO batch VALUES(?,?,?,?)");
      batch.bind(name).bind(NIGHTSHIFT_VERSION).bind_real(SystemClock().unix_seconds());
      batch.insert_row();
    }
    publish_database(kBatchJournal, std::move(draft), folder, file_system_at(folder));
  } catch (const JournalError&) {
    discard_draft(kBatchJournal, folder);
    throw;
  }
  return open_for_writing(kBatchJournal, folder, file_system_at(folder));
}

std::string argument_of(const BatchRequest& request) {
  nlohmann::json list = nlohmann::json::array();
  for (const BatchStudyTerms& terms : request.studies) list.push_back(terms_to_json(terms));
  for (const std::string& name : request.names) list.push_back(name);
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

BatchRequest read_request(SqliteStatement& row) {
  BatchRequest request;
  request.number = row.integer();
  const std::string kind(row.text());
  const auto known = std::ranges::find(kBatchRequests, kind);
  if (known == kBatchRequests.end()) row.damaged("is of the unknown kind '" + kind + "'");
  request.kind = static_cast<BatchRequest::Kind>(known - kBatchRequests.begin());
  try {
    for (const auto& item : nlohmann::json::parse(row.text())) {
      if (request.kind == BatchRequest::Kind::kAdd) {
        request.studies.push_back(terms_from_json(item.get<std::string>()));
      } else {
        request.names.push_back(item);
      }
    }
  } catch (const nlohmann::json::exception& error) {
    row.damaged(error.what());
  }
  request.at = row.real();
  return request;
}

}  // namespace

class BatchJournal::Impl {
 public:
  Impl(JournalLock lock, std::unique_ptr<SqliteDatabase> database)
      : lock_(std::move(lock)), database_(std::move(database)) {}

  void begin_run() {
    write([&] { counts_.add("runs"); });
  }

  void run(double started, std::optional<double> deadline, std::optional<double> ended,
           std::string_view status, std::string_view reason) {
    write([&] {
      SqliteStatement row(*database_, "REPLACE INTO runs VALUES(?,?,?,?,?,?,?,?)");
      const std::string process = ipc::this_process();
      row.bind(counts_.of("runs")).bind(process).bind_real(started);
      row.bind_optional(deadline);
      row.bind_optional(ended);
      row.bind(status).bind(reason).insert_row();
    });
  }

  void studies(const std::vector<BatchStudyTerms>& all) {
    write([&] {
      database_->execute("DELETE FROM studies");
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string text = terms_to_json(all[i]);
        study_.bind(static_cast<std::uint64_t>(i)).bind(text).insert_row();
      }
      counts_.set("studies", all.size());
      // Their paths are those of the present place.
      const auto here = std::filesystem::absolute(database_->folder()).lexically_normal();
      database_->made_in(here.string());
    });
  }

  void state(std::string_view study, BatchStudyState state, std::string_view reason,
             const std::optional<BatchClaim>& claim, double at) {
    write([&] {
      state_.bind(counts_.add("states")).bind(study).bind(name_of(state)).bind(reason);
      if (claim) {
        state_.bind_real(claim->ratio).bind_real(claim->interval.low);
        state_.bind_real(claim->interval.high).bind_real(claim->p_value);
        // Of a claim from a shard of an earlier version, its `level` is another one.
        state_.bind_real((1 - claim->interval.confidence) / 2);
      } else {
        for (int i = 0; i < 5; ++i) state_.bind_null();
      }
      state_.bind_real(at).insert_row();
    });
  }

  void progress(std::string_view study, const BatchProgressRow& row) {
    write([&] {
      progress_.bind(study).bind(row.trials).bind(row.measured).bind(row.failed);
      progress_.bind(row.accepted).bind(row.activity);
      progress_.bind_optional(row.best);
      progress_.bind_optional(row.incumbent);
      progress_.bind_real(row.elapsed).bind_real(row.limit).bind_real(row.budget_used);
      progress_.bind_real(row.at).insert_row();
      counts_.set("progress", number("SELECT count(*) FROM progress"));
    });
  }

  void device(const BatchDeviceRecord& device) {
    write([&] {
      device_.bind(device.uuid).bind(device.model).bind(device.study).bind(device.activity);
      device_.bind_real(device.busy_seconds).insert_row();
      counts_.set("devices", number("SELECT count(*) FROM devices"));
    });
  }

  void lease(std::string_view study, std::string_view device, LeaseKind kind, double at) {
    constexpr std::array<std::string_view, 3> kNames{"none", "guest", "owner"};
    write([&] {
      lease_.bind(counts_.add("leases")).bind(study).bind(device);
      lease_.bind(kNames[static_cast<std::size_t>(kind)]).bind_real(at).insert_row();
    });
  }

  void event(const BatchEventRecord& event) {
    write([&] {
      event_.bind(counts_.add("events")).bind(event.study).bind(event.kind).bind(event.text);
      event_.bind_real(event.at).insert_row();
    });
  }

  std::vector<BatchRequest> requests() {
    std::vector<BatchRequest> requests;
    const std::uint64_t seen = database_->number("PRAGMA data_version");
    if (seen == seen_) return requests;
    SqliteStatement row(*database_,
                        "SELECT * FROM requests WHERE request NOT IN (SELECT request FROM answers) "
                        "ORDER BY request",
                        "request");
    while (row.next_row()) requests.push_back(read_request(row));
    seen_ = seen;
    return requests;
  }

  void answer(std::uint64_t request, std::string_view line, double at) {
    write([&] {
      counts_.add("answers");
      answer_.bind(request).bind(line).bind_real(at).insert_row();
    });
  }

  void commit() { turn_.end(); }
  void expect_in_place() { database_->expect_in_place(); }

 private:
  std::uint64_t number(const char* sql) { return database_->number(sql); }

  template <class Action>
  void write(const Action& action) {
    turn_.write(action);
  }

  JournalLock lock_;  // outlives the connection
  std::unique_ptr<SqliteDatabase> database_;
  std::optional<std::uint64_t> seen_;  // version of the data when requests were read

  JournalTurn turn_{kBatchJournal, *database_, JournalTurn::Failure::kOnce};
  RowCounts& counts_{turn_.counts()};
  SqliteStatement study_{*database_, "INSERT INTO studies VALUES(?,?,?)"};
  SqliteStatement state_{*database_, "INSERT INTO states VALUES(?,?,?,?,?,?,?,?,?,?,?)"};
  SqliteStatement progress_{*database_, "REPLACE INTO progress VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)"};
  SqliteStatement device_{*database_, "REPLACE INTO devices VALUES(?,?,?,?,?,?)"};
  SqliteStatement lease_{*database_, "INSERT INTO leases VALUES(?,?,?,?,?,?)"};
  SqliteStatement event_{*database_, "INSERT INTO events VALUES(?,?,?,?,?,?)"};
  SqliteStatement answer_{*database_, "INSERT INTO answers VALUES(?,?,?,?)"};
};

BatchJournal::BatchJournal(const std::string& folder, const std::string& name) {
  make_folder(folder);
  JournalLock lock(kBatchJournal, folder);
  auto database = open_or_make(folder, name);
  impl_ = std::make_unique<Impl>(std::move(lock), std::move(database));
}

BatchJournal::~BatchJournal() = default;

void BatchJournal::begin_run(double started, std::optional<double> deadline) {
  started_ = started;
  deadline_ = deadline;
  impl_->begin_run();
  impl_->run(started, deadline, std::nullopt, "running", "");
  impl_->commit();
}
void BatchJournal::deadline(double at) {
  deadline_ = at;
  impl_->run(started_, deadline_, std::nullopt, "running", "");
}
void BatchJournal::end_run(std::string_view status, std::string_view reason, double ended) {
  impl_->run(started_, deadline_, ended, status, reason);
  impl_->commit();
}
void BatchJournal::studies(const std::vector<BatchStudyTerms>& all) { impl_->studies(all); }
void BatchJournal::state(std::string_view study, BatchStudyState state, std::string_view reason,
                         const std::optional<BatchClaim>& claim, double at) {
  impl_->state(study, state, reason, claim, at);
}
void BatchJournal::progress(std::string_view study, const BatchProgressRow& row) {
  impl_->progress(study, row);
}
void BatchJournal::device(const BatchDeviceRecord& device) { impl_->device(device); }
void BatchJournal::lease(std::string_view study, std::string_view device, LeaseKind kind,
                         double at) {
  impl_->lease(study, device, kind, at);
}
void BatchJournal::event(const BatchEventRecord& event) { impl_->event(event); }
std::vector<BatchRequest> BatchJournal::requests() { return impl_->requests(); }
void BatchJournal::answer(std::uint64_t request, std::string_view line, double at) {
  impl_->answer(request, line, at);
}
void BatchJournal::commit() { impl_->commit(); }
void BatchJournal::expect_in_place() { impl_->expect_in_place(); }

std::uint64_t ask(const std::string& folder, const BatchRequest& request) {
  const auto database = open_beside_writer(kBatchJournal, folder);
  const std::string argument = argument_of(request);
  database->execute("BEGIN IMMEDIATE");
  const std::uint64_t number = database->number("SELECT max(request) FROM requests") + 1;
  {
    SqliteStatement row(*database, "INSERT INTO requests VALUES(?,?,?,?,?)");
    row.bind(number).bind(kBatchRequests[static_cast<std::size_t>(request.kind)]).bind(argument);
    row.bind_real(SystemClock().unix_seconds()).insert_row();
  }
  database->execute("COMMIT");
  return number;
}

std::optional<std::string> answer_to(const std::string& folder, std::uint64_t request) {
  std::optional<std::string> answer;
  read_journal(kBatchJournal, folder, file_system_at(folder), [&](SqliteDatabase& database) {
    SqliteStatement row(database, "SELECT * FROM answers ORDER BY request", "answer to");
    answer.reset();
    while (row.next_row()) {
      if (row.integer() == request) answer = row.text();
    }
  });
  return answer;
}

}  // namespace nightshift::scheduler
