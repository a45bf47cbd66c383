#pragma once

#include <cstdint>
#include <string_view>

#include "scheduler/journal/file/journal_form.h"
#include "scheduler/journal/sqlite_tables.h"

namespace nightshift::scheduler {

// The journal's tables, for who reads them with `sqlite3 DIR/journal.sqlite`.
//
//   PRAGMA application_id = kApplicationId ("NSJ1"), PRAGMA user_version = kSchemaVersion.
//
// Tables. All but `runs` are only ever appended to; nothing is deleted.
//   study         one row: what the study is made of
//   environment   the machine and its software; and what the study is made of, a row for each part,
//                 named "made of KIND NAME" (search/identity.h), with a hash or words; and how many
//                 rows the tables of the problem have, "rows of TABLE"
//   parameters, constraints, objectives   the problem, for people; resume reads study.problem_text
//   runs          one row per start of the program; the last one's status is the study's
//   proposals     a trial as it enters the queue
//   outcomes      a trial as it ended; a proposal without one was in flight when the run ended
//   changes       steps of a trial between the two
//   confirmations duels, self-tests, finishing rounds, hold-outs and rounds of the Pareto front
//                 ('front') as they were opened; an exploration with a `candidate` was asked for by
//                 a finishing round of that winner
//   verdicts      how they ended
//   remarks       quarantine, resume, ...
//   seal          how many rows the tables of a run have, and a number of this study alone (see
//                 row_counts.h)
//
// Views.
//   trials        proposals and outcomes side by side, status 'in flight' where nothing came back
//   samples       one row per trial and objective; "values" is a JSON list for json_each()
//   best          explored configurations, best first
//   failures      what failed, and why
//   baselines     the reference on each device
//   artifacts     builds by hash, the first trial of each and how many share it
//   status        name, status, reason, number of runs, wall seconds
//   events        what happened in which order
//
// `seq` numbers proposals, outcomes, confirmations and verdicts in one sequence 1, 2, 3, ...
// without a gap: the order in which a resumed run repeats them. Times are Unix seconds; those of a
// run come after all that the journal has when it begins, whatever the clock says. An empty
// device means any (proposals) or none (outcomes). Figures are in the unit of their objective;
// `normalised` is the cost relative to the baseline of the same device: 1 = baseline, lower is
// better. NaN is NULL. A trial that was measured but is beyond a limit of the problem has no
// `normalised`, and a reason.
//
// Objectives. `weight` is NULL where an objective has none, and so are the limits `at_most` and
// `at_least`, which are in its unit. `role` is none, time, size or accuracy; `statistic` median,
// mean, trimmed-mean, p95, p99, min or max. What they mean together is said in search/objective.h.
//
// Versions. 2 added confirmations, the evidence of verdicts and more of the objectives; what
// version 1 calls a confirmation was another procedure, so its journals are refused. 3 added the
// seal, whose number begins the check sums; a journal of version 2 is read, and goes on as one.
//
// `configuration_index` is an integer, or decimal text beyond 2^63-1. The column has no type, since
// INTEGER would make a rounded REAL of such a text; where an earlier version made the table it is
// INTEGER, and no such number is.
//
// `check_sum` is the CRC-32C of the other columns of its row (see SqliteStatement): SQLite notices
// torn and cut pages of its log but not a flipped bit in the main file. A row that is changed by
// hand is therefore refused by `resume` and `report`.
constexpr std::uint32_t kApplicationId = 0x4e534a31;
constexpr std::uint32_t kSchemaVersion = 3;
constexpr std::uint32_t kOldestSchemaVersion = 2;

// Of the names in `environment` that are parts of the study's identity. A table of their own would
// have made the journals of earlier versions unreadable.
constexpr std::string_view kIdentityPrefix = "made of ";

// Likewise. What is deleted from these tables would not be missed otherwise; journals of earlier
// versions have no such rows.
constexpr std::string_view kRowsPrefix = "rows of ";
constexpr std::string_view kProblemTables[] = {"parameters", "constraints", "objectives"};

constexpr JournalForm kStudyJournal{"study",
                                    "journal.sqlite",
                                    "journal.lock",
                                    "--study",
                                    "nightshift tune PROBLEM --study {}",
                                    "nightshift resume {}",
                                    "nightshift resume",
                                    kApplicationId,
                                    kSchemaVersion,
                                    kOldestSchemaVersion,
                                    3,
                                    kTables,
                                    kViews};

}  // namespace nightshift::scheduler
