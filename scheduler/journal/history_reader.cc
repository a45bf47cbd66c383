#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ipc/trial_text.h"
#include "scheduler/errors.h"
#include "scheduler/journal/evidence_text.h"
#include "scheduler/journal/file/row_counts.h"
#include "scheduler/journal/file/sqlite_statement.h"
#include "scheduler/journal/history.h"
#include "scheduler/journal/history_reader.h"
#include "scheduler/journal/moved_study.h"
#include "scheduler/journal/run_times.h"
#include "scheduler/journal/sqlite_journal.h"
#include "scheduler/journal/sqlite_schema.h"
#include "scheduler/journal/study_tables.h"

namespace nightshift::scheduler {

namespace {

// The value among `all` whose name is `name`.
template <class Enum, std::size_t n>
Enum named(const SqliteStatement& row, std::string_view name, const std::array<Enum, n>& all) {
  for (const Enum value : all) {
    if (name_of(value) == name) return value;
  }
  row.damaged("has the unknown word '" + std::string(name) + "'");
}

constexpr std::array kJobs = {search::JobKind::kBaseline, search::JobKind::kConfirm,
                              search::JobKind::kRebaseline, search::JobKind::kExplore};
constexpr std::array kArms = {Arm::kNone, Arm::kCandidate, Arm::kIncumbent, Arm::kBaseline};
constexpr std::array kPurposes = {Purpose::kDuel,    Purpose::kSelfTest,  Purpose::kCanary,
                                  Purpose::kHoldOut, Purpose::kFinishing, Purpose::kFront};
constexpr std::array kRoles = {search::Role::kNone, search::Role::kTime, search::Role::kSize,
                               search::Role::kAccuracy};
constexpr std::array kStates = {TrialState::kProposed, TrialState::kBuilding,
                                TrialState::kBuilt,    TrialState::kRunning,
                                TrialState::kRetry,    TrialState::kFinished};

template <class Number>
Number narrow(const SqliteStatement& row, std::uint64_t value) {
  if (value > static_cast<std::uint64_t>(std::numeric_limits<Number>::max())) {
    row.damaged("has a number out of range");
  }
  return static_cast<Number>(value);
}

// Reads all tables of one study, those of its trials where they are wanted. Every row must have its
// check sum, and `seq` must have no gap.
class HistoryReader {
 public:
  HistoryReader(SqliteDatabase& database, Detail detail)
      : database_(database), has_trials_(detail != Detail::kHead) {}

  History read(Detail detail) {
    expect_row_counts(kStudyJournal, database_);
    read_study();
    read_environment();
    read_objectives();
    expect_problem_rows(database_, rows_of_);
    if (has_trials_) {
      read_proposals();
      read_outcomes();
    }
    read_confirmations();
    read_verdicts();
    read_remarks();
    if (detail == Detail::kFull) read_changes();
    follow(MovedFolder(database_.made_in(), database_.folder()), history_);
    runs_.read(database_, has_trials_, history_);
    if (has_trials_) {
      order_events();
      count_deaths();
    }
    return std::move(history_);
  }

 private:
  void read_study() {
    SqliteStatement row(database_, "SELECT * FROM study", "study");
    if (!row.next_row()) database_.damaged("it does not say what is studied");
    StudyHeader& header = history_.header;
    header.problem_name = row.text();
    header.problem_file = row.text();
    header.problem_text = row.text();
    try {
      nlohmann::json::parse(row.text()).get_to(header.overrides);
    } catch (const nlohmann::json::exception& error) {
      row.damaged(error.what());
    }
    header.device_selection = row.text();
    environment_rows_ = row.integer();
    header.created = row.real();
    if (row.next_row()) row.damaged("is there twice");
  }

  void read_environment() {
    SqliteStatement row(database_, "SELECT * FROM environment ORDER BY position", "fact");
    std::uint64_t rows = 0;
    for (; row.next_row(); ++rows) {
      if (row.integer() != rows) row.damaged("is out of order");
      const std::string name(row.text()), value(row.text());
      if (name.starts_with(kRowsPrefix)) {
        rows_of_[name.substr(kRowsPrefix.size())] = value;
      } else if (!name.starts_with(kIdentityPrefix)) {
        history_.header.environment.emplace_back(name, value);
      } else if (auto part = search::part_of(name.substr(kIdentityPrefix.size()), value)) {
        history_.header.identity.push_back(*std::move(part));
      }
    }
    if (rows != environment_rows_) database_.damaged("facts on the machine are missing");
  }

  void read_objectives() {
    SqliteStatement row(database_, "SELECT * FROM objectives ORDER BY position", "objective");
    while (row.next_row()) {
      if (row.integer() != history_.objectives.size()) row.damaged("is out of order");
      search::Objective objective;
      objective.name = row.text();
      objective.unit = row.text();
      const std::string direction(row.text());
      if (direction == "maximise") {
        objective.direction = search::Direction::kMaximise;
      } else if (direction != "minimise") {
        row.damaged("has the unknown direction '" + direction + "'");
      }
      objective.weight = row.optional_real();
      objective.role = named(row, row.text(), kRoles);
      objective.statistic = named(row, row.text(), search::kStatistics);
      objective.at_most = row.optional_real();
      objective.at_least = row.optional_real();
      history_.objectives.push_back(std::move(objective));
    }
  }

  void read_proposals() {
    SqliteStatement row(database_, "SELECT * FROM proposals ORDER BY trial", "trial");
    std::uint64_t previous = 0;
    while (row.next_row()) {
      ProposedTrial trial;
      trial.id = {row.integer()};
      // Ascending, also where the pages of a damaged file are chained to a ring.
      if (trial.id.value <= previous) row.damaged("is out of order");
      previous = trial.id.value;
      add_event(row, row.integer(), ProposedEvent{history_.trials.size()});
      trial.job = named(row, row.text(), kJobs);
      trial.index = configuration_index(row);
      trial.configuration = from_json(row, row.text(), ipc::configuration_from_json);
      trial.device = row.text();
      trial.confirmation = {row.integer()};
      trial.candidate = {row.integer()};
      trial.round = narrow<int>(row, row.integer());
      trial.arm = named(row, row.text(), kArms);
      const double at = row.real();
      runs_.wrote(at);
      positions_.emplace(trial.id, history_.trials.size());
      history_.trials.push_back({std::move(trial), std::nullopt, {}, at});
    }
  }

  void read_outcomes() {
    SqliteStatement row(database_, "SELECT * FROM outcomes ORDER BY trial", "outcome of trial");
    std::uint64_t previous = 0;
    while (row.next_row()) {
      FinishedTrial trial;
      trial.id = {row.integer()};
      if (trial.id.value <= previous) row.damaged("is out of order");
      previous = trial.id.value;
      const std::size_t position = position_of(row, trial.id);
      add_event(row, row.integer(), FinishedEvent{position});
      const std::string status(row.text());
      // The reason in words: of a failure it follows from the outcome.
      const std::string reason(row.text());
      trial.report.outcome = from_json(row, row.text(), ipc::outcome_from_json);
      if (std::holds_alternative<search::Measured>(trial.report.outcome)) {
        trial.beyond_limits = reason;
      }
      if (search::status_name(trial.report.outcome) != status) row.damaged("has two statuses");
      read_result(row, trial);
      history_.trials[position].finished = std::move(trial);
    }
  }

  void read_result(SqliteStatement& row, FinishedTrial& trial) {
    trial.attempts = narrow<std::uint32_t>(row, row.integer());
    trial.device = row.text();
    trial.artifact = row.text();
    trial.value = row.optional_real();
    const std::optional<double> normalised = row.optional_real();
    const double error = row.real();
    if (normalised) trial.normalised = search::Score{*normalised, error};
    trial.report.cost.build = row.real();
    trial.report.cost.check = row.real();
    trial.report.cost.measure = row.real();
    trial.report.cost.simulated = row.real();
    trial.started = row.real();
    trial.finished = row.real();
    runs_.wrote(trial.finished);
  }

  void read_confirmations() {
    SqliteStatement row(database_, "SELECT * FROM confirmations ORDER BY seq", "confirmation");
    while (row.next_row()) {
      ConfirmationSetup setup;
      add_event(row, row.integer(), OpenedEvent{history_.confirmations.size()});
      setup.id = {row.integer()};
      if (setup.id.value != history_.confirmations.size() + 1) row.damaged("is out of order");
      setup.purpose = named(row, row.text(), kPurposes);
      setup.candidate = {row.integer()};
      setup.opponent = {row.integer()};
      for (const search::TrialId trial : {setup.candidate, setup.opponent}) {
        if (trial.value != 0) position_of(row, trial);
      }
      setup.devices = from_json(row, row.text(), devices_from_json);
      setup.pairs = narrow<int>(row, row.integer());
      setup.level = row.real();
      runs_.wrote(row.real());
      history_.confirmations.push_back(std::move(setup));
    }
  }

  void read_verdicts() {
    SqliteStatement row(database_, "SELECT * FROM verdicts ORDER BY seq", "verdict");
    std::uint64_t previous = 0;
    while (row.next_row()) {
      ConfirmationVerdict verdict;
      const std::uint64_t seq = row.integer();
      if (seq <= previous) row.damaged("is out of order");
      previous = seq;
      add_event(row, seq, VerdictEvent{history_.verdicts.size()});
      verdict.id = {row.integer()};
      verdict.candidate = {row.integer()};
      if (verdict.candidate.value != 0) position_of(row, verdict.candidate);
      const std::string name(row.text());
      const std::string reason(row.text());
      verdict.verdict.acceptance = acceptance(row, name, reason);
      verdict.verdict.ratio = row.real();
      verdict.verdict.interval.low = row.real();
      verdict.verdict.interval.high = row.real();
      verdict.verdict.p_value = row.real();
      read_evidence(row, verdict.verdict);
      runs_.wrote(row.real());
      history_.verdicts.push_back(std::move(verdict));
    }
  }

  static search::Acceptance acceptance(const SqliteStatement& row, std::string_view name,
                                       const std::string& reason) {
    for (search::Acceptance candidate :
         {search::Acceptance{search::Accept{reason}}, search::Acceptance{search::Reject{reason}},
          search::Acceptance{search::Undecided{reason}}}) {
      if (search::name_of(candidate) == name) return candidate;
    }
    row.damaged("has the unknown word '" + std::string(name) + "'");
  }

  static void read_evidence(SqliteStatement& row, search::Verdict& verdict) {
    try {
      evidence_from_json(row.text(), verdict);
    } catch (const std::invalid_argument& error) {
      row.damaged(error.what());
    }
  }

  void read_remarks() {
    SqliteStatement row(database_, "SELECT * FROM remarks ORDER BY remark", "remark");
    while (row.next_row()) {
      if (row.integer() != history_.remarks.size() + 1) row.damaged("is out of order");
      Remark remark;
      remark.what = row.text();
      remark.detail = row.text();
      remark.at = row.real();
      runs_.wrote(remark.at);
      history_.remarks.push_back(std::move(remark));
    }
  }

  void read_changes() {
    SqliteStatement row(database_, "SELECT * FROM changes ORDER BY change", "change");
    for (std::uint64_t expected = 1; row.next_row(); ++expected) {
      if (row.integer() != expected) row.damaged("is out of order");
      const std::size_t position = position_of(row, {row.integer()});
      history_.trials[position].changes.push_back(change_of(row));
    }
  }

  static StateChange change_of(SqliteStatement& row) {
    StateChange change;
    change.state = named(row, row.text(), kStates);
    change.attempt = narrow<std::uint32_t>(row, row.integer());
    change.device = row.text();
    change.detail = row.text();
    change.at = row.real();
    return change;
  }

  // The steps of trials that have ended are not read for it: there are many.
  void count_deaths() {
    if (runs_.died().empty()) return;
    SqliteStatement row(database_,
                        "SELECT * FROM changes WHERE trial NOT IN (SELECT trial FROM outcomes) "
                        "ORDER BY change",
                        "change");
    std::unordered_map<std::size_t, std::vector<StateChange>> changes;
    while (row.next_row()) {
      (void)row.integer();
      const std::size_t position = position_of(row, {row.integer()});
      changes[position].push_back(change_of(row));
    }
    for (const auto& [position, its] : changes) {
      TrialRecord& trial = history_.trials[position];
      trial.deaths = deaths_with(trial.proposed.job, its, runs_.died());
    }
  }

  template <class Result>
  static Result from_json(const SqliteStatement& row, std::string_view json,
                          Result (*read)(std::string_view)) {
    try {
      return read(json);
    } catch (const std::invalid_argument& error) {
      row.damaged(error.what());
    }
  }

  static std::optional<search::ConfigurationIndex> configuration_index(SqliteStatement& row) {
    if (row.is_text()) {
      const auto large = base::parse_wide(row.text());
      if (!large) row.damaged("has an index that is no number");
      return search::ConfigurationIndex{*large};
    }
    const auto index = row.optional_integer();
    return index ? std::optional(search::ConfigurationIndex{*index}) : std::nullopt;
  }

  std::size_t position_of(const SqliteStatement& row, search::TrialId trial) const {
    if (!has_trials_) return 0;
    const auto found = positions_.find(trial);
    if (found == positions_.end()) row.damaged("belongs to a trial that is missing");
    return found->second;
  }

  void add_event(const SqliteStatement& row, std::uint64_t seq, HistoryEvent event) {
    if (seq == 0) row.damaged("has no place in the order of events");
    events_.emplace_back(seq, event);
  }

  // A gap means that rows are gone which cannot be told from rows that never were.
  void order_events() {
    std::sort(events_.begin(), events_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<bool> proposed(history_.trials.size());
    for (const auto& [seq, event] : events_) {
      if (seq != history_.events.size() + 1) database_.damaged("events are missing");
      if (const auto* start = std::get_if<ProposedEvent>(&event)) proposed[start->trial] = true;
      const auto* end = std::get_if<FinishedEvent>(&event);
      if (end != nullptr && !proposed[end->trial]) {
        database_.damaged("a trial ended before it was proposed");
      }
      history_.events.push_back(event);
    }
  }

  SqliteDatabase& database_;
  const bool has_trials_;
  History history_;
  std::uint64_t environment_rows_ = 0;
  ProblemRows rows_of_;
  std::unordered_map<search::TrialId, std::size_t> positions_;
  std::vector<std::pair<std::uint64_t, HistoryEvent>> events_;
  RunTimes runs_;
};

}  // namespace

History read_history(SqliteDatabase& database, Detail detail) {
  return HistoryReader(database, detail).read(detail);
}

}  // namespace nightshift::scheduler
