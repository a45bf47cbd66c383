#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/statistics/interval.h"

namespace nightshift::scheduler {
// What the journal of a batch says: DIR/batch.sqlite, beside a folder for each study. Times are
// Unix seconds.

enum class BatchStudyState : std::uint8_t {
  kWaiting,
  kRunning,
  kPaused,       // until it is asked to go on
  kInterrupted,  // by a signal, or a deadline: it can go on
  kCompleted,
  kFailed,  // its baseline, its files, its journal
  kCancelled,
  kNotBegun,  // no time was left, or no device is there
};
constexpr std::array<std::string_view, 8> kBatchStudyStates{
    "waiting", "running", "paused", "interrupted", "completed", "failed", "cancelled", "not begun"};
constexpr std::string_view name_of(BatchStudyState state) {
  return kBatchStudyStates[static_cast<std::size_t>(state)];
}

// A study as the batch was asked for it. Its name is that of its folder too.
struct BatchStudyTerms {
  std::string name;
  std::string problem;                                         // absolute path
  std::vector<std::pair<std::string, std::string>> overrides;  // keys of the problem file
  double weight = 1;
  int devices_least = 1;
  int devices_most = 0;                    // 0: all
  std::vector<std::string> after;          // names
  double patience = 4;                     // see StudyTerms
  bool warm_start = true;                  // from other sizes of its problem
  std::optional<double> deadline_seconds;  // of its own, from the batch's first start
  bool added = false;                      // by `batch add`; else by the batch file
  bool builds_ahead = false;               // see StudyTerms
  int priority = 0;                        // likewise
  std::string client;                      // likewise
  // What a table calls it by: its sizes, and how often a program calls them. Empty: no shape.
  std::vector<std::pair<std::string, std::int64_t>> shape = {};
  double calls = 1;
};

// The hold-out of a study that accepted something.
struct BatchClaim {
  double ratio = 1;  // best over baseline, of the first objective
  search::Interval interval;
  double p_value = 1;
  double level = 0.01;  // that its test was asked at: the interval has a confidence of 1 - 2 level
};

// What a running study said of itself last, about once a second; of one that ended, at its end.
struct BatchProgressRow {
  std::uint64_t trials = 0;  // configurations that ended
  std::uint64_t measured = 0, failed = 0;
  std::uint64_t accepted = 0;       // duels won
  std::string activity;             // "exploring", "duel of trial 17: 8 of 16 pairs", ...
  std::optional<double> best;       // lowest score seen, unconfirmed; 1 = baseline
  std::optional<double> incumbent;  // over the baseline
  double elapsed = 0;               // seconds with a device, of all runs
  double limit = 0;                 // of these; 0: none
  double budget_used = 0;           // 0..1 of whatever limit is nearest
  double at = 0;
};

struct BatchStudyRecord {
  BatchStudyTerms terms;
  BatchStudyState state = BatchStudyState::kWaiting;
  std::string reason;  // one sentence
  double since = 0;    // of the state
  std::optional<double> began, ended;
  std::optional<BatchClaim> claim;
  std::optional<BatchProgressRow> progress;
  double made_up = 0;  // seconds, as of its last kMadeUpEvent
};

struct BatchDeviceRecord {
  std::string uuid;
  std::string model;
  // What goes on there, as of the last progress; empty: nothing.
  std::string study, activity;
  double busy_seconds = 0;  // with a job in hand, of all runs
};

// A study had a device from one moment to another.
struct BatchLease {
  std::string study, device;
  bool guest = false;  // it borrowed it for a confirmation
  double from = 0;
  std::optional<double> until;  // nullopt: it has it still
};

struct BatchRunRecord {
  std::string process;  // "4711 on node7"
  double started = 0;
  std::optional<double> deadline, ended;
  std::string status, reason;  // "running", "completed", "interrupted"
};

// The text is where the batch is measured from now on: nodes as they were named, or nothing: here.
constexpr const char* kNodesEvent = "nodes";

// What the time of a run does not serve of its batch (batch/night_time.h).
struct BatchShortage {
  double seconds = 0;             // of the run
  double whole_seconds = 0;       // of one that serves all studies
  std::vector<std::string> left;  // studies; none: it serves all after all
};
constexpr const char* kShortageEvent = "short of time";  // the text is shortage_to_json()

// How far the machine's clock is ahead of the run's times (clock_shift()), as shift_to_text().
constexpr const char* kClockEvent = "clock set";

constexpr const char* kMadeUpEvent = "made up";  // StudyStanding::made_up; no line for readers

// Of `nightshift merge`: kMergeEvent begins one, and takes back the notices of the one before, which
// readers see as notices like others.
constexpr const char* kMergeEvent = "merge";
constexpr const char* kMergeNotice = "notice of merge";

// A line of what happened. `kind`: begun, lent, accepted, hold-out, ended, remark, kNodesEvent,
// kShortageEvent, kClockEvent, and notice for what whoever reads the result ought to know.
struct BatchEventRecord {
  double at = 0;
  std::string study;  // empty: of the batch
  std::string kind, text;
};

struct BatchRecord {
  std::string name;
  std::string version;  // of Nightshift, that began it
  std::vector<BatchStudyRecord> studies;
  std::vector<BatchDeviceRecord> devices;
  std::vector<BatchLease> leases;  // in the order of their beginning
  std::vector<BatchRunRecord> runs;
  std::vector<BatchEventRecord> events;  // in order
  std::optional<std::string> writer;     // the process that runs it now
};

}  // namespace nightshift::scheduler
