#pragma once

#include <cstdint>
#include <string_view>

#include "scheduler/journal/file/journal_form.h"

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
// without a gap: the order in which a resumed run repeats them. Times are Unix seconds. An empty
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
// version 1 calls a confirmation was another procedure, so its journals are refused.
//
// `configuration_index` is an integer, or decimal text beyond 2^63-1. The column has no type, since
// INTEGER would make a rounded REAL of such a text; where an earlier version made the table it is
// INTEGER, and no such number is.
//
// `check_sum` is the CRC-32C of the other columns of its row (see SqliteStatement): SQLite notices
// torn and cut pages of its log but not a flipped bit in the main file. A row that is changed by
// hand is therefore refused by `resume` and `report`.
constexpr std::uint32_t kApplicationId = 0x4e534a31;
constexpr std::uint32_t kSchemaVersion = 2;

// Of the names in `environment` that are parts of the study's identity. A table of their own would
// have made the journals of earlier versions unreadable.
constexpr std::string_view kIdentityPrefix = "made of ";

// Likewise. What is deleted from these tables would not be missed otherwise; journals of earlier
// versions have no such rows.
constexpr std::string_view kRowsPrefix = "rows of ";
constexpr std::string_view kProblemTables[] = {"parameters", "constraints", "objectives"};

constexpr TableDefinition kTables[] = {
    {"study",
     "CREATE TABLE study("
     "name TEXT NOT NULL, problem_file TEXT NOT NULL, problem_text TEXT NOT NULL, "
     "overrides TEXT NOT NULL, "  // JSON: [["name", "value"], ...]
     "device_selection TEXT NOT NULL, environment_rows INTEGER NOT NULL, created REAL NOT NULL, "
     "check_sum INTEGER NOT NULL)"},
    {"environment",
     "CREATE TABLE environment(position INTEGER PRIMARY KEY, name TEXT NOT NULL, "
     "value TEXT NOT NULL, check_sum INTEGER NOT NULL)"},
    {"parameters",
     "CREATE TABLE parameters(position INTEGER PRIMARY KEY, name TEXT NOT NULL, "
     "type TEXT NOT NULL, \"values\" TEXT NOT NULL, default_value TEXT NOT NULL, "  // JSON
     "active_when TEXT, check_sum INTEGER NOT NULL)"},
    {"constraints",
     "CREATE TABLE constraints(position INTEGER PRIMARY KEY, expression TEXT NOT NULL, "
     "check_sum INTEGER NOT NULL)"},
    {"objectives",
     "CREATE TABLE objectives(position INTEGER PRIMARY KEY, name TEXT NOT NULL, "
     "unit TEXT NOT NULL, direction TEXT NOT NULL, weight REAL, role TEXT NOT NULL, "
     "statistic TEXT NOT NULL, at_most REAL, at_least REAL, check_sum INTEGER NOT NULL)"},
    {"runs",
     "CREATE TABLE runs(run INTEGER PRIMARY KEY, started REAL NOT NULL, ended REAL, "
     "seconds REAL NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL, "
     "check_sum INTEGER NOT NULL)"},
    {"proposals",
     "CREATE TABLE proposals(trial INTEGER PRIMARY KEY, seq INTEGER NOT NULL, job TEXT NOT NULL, "
     "configuration_index, configuration TEXT NOT NULL, device TEXT NOT NULL, "
     "confirmation INTEGER NOT NULL, candidate INTEGER NOT NULL, round INTEGER NOT NULL, "
     "arm TEXT NOT NULL, at REAL NOT NULL, check_sum INTEGER NOT NULL)"},
    {"outcomes",
     "CREATE TABLE outcomes(trial INTEGER PRIMARY KEY, seq INTEGER NOT NULL, "
     "status TEXT NOT NULL, reason TEXT NOT NULL, outcome TEXT NOT NULL, "  // JSON with samples
     "attempts INTEGER NOT NULL, device TEXT NOT NULL, artifact TEXT NOT NULL, value REAL, "
     "normalised REAL, normalised_error REAL, build_seconds REAL, check_seconds REAL, "
     "measure_seconds REAL, simulated_seconds REAL, started REAL, finished REAL, "
     "check_sum INTEGER NOT NULL)"},
    {"changes",
     "CREATE TABLE changes(change INTEGER PRIMARY KEY, trial INTEGER NOT NULL, "
     "state TEXT NOT NULL, attempt INTEGER NOT NULL, device TEXT NOT NULL, detail TEXT NOT NULL, "
     "at REAL NOT NULL, check_sum INTEGER NOT NULL)"},
    {"confirmations",
     "CREATE TABLE confirmations(seq INTEGER PRIMARY KEY, confirmation INTEGER NOT NULL, "
     "purpose TEXT NOT NULL, candidate INTEGER NOT NULL, opponent INTEGER NOT NULL, "
     "devices TEXT NOT NULL, "  // JSON list
     "pairs INTEGER NOT NULL, level REAL NOT NULL, at REAL NOT NULL, check_sum INTEGER NOT NULL)"},
    {"verdicts",
     "CREATE TABLE verdicts(seq INTEGER PRIMARY KEY, confirmation INTEGER NOT NULL, "
     "candidate INTEGER NOT NULL, verdict TEXT NOT NULL, reason TEXT NOT NULL, "
     "ratio REAL, low REAL, high REAL, p_value REAL, "
     "evidence TEXT NOT NULL, "  // JSON: looks, devices, heterogeneity, shape
     "at REAL NOT NULL, check_sum INTEGER NOT NULL)"},
    {"remarks",
     "CREATE TABLE remarks(remark INTEGER PRIMARY KEY, what TEXT NOT NULL, detail TEXT NOT NULL, "
     "at REAL NOT NULL, check_sum INTEGER NOT NULL)"},
};

constexpr const char* kViews =
    "CREATE VIEW trials AS SELECT p.trial AS id, p.job, ifnull(o.status, 'in flight') AS status, "
    "  ifnull(o.reason, '') AS reason, p.configuration, p.configuration_index, "
    "  ifnull(o.device, p.device) AS device, o.value, o.normalised, o.normalised_error, "
    "  nullif(p.confirmation, 0) AS confirmation, nullif(p.candidate, 0) AS candidate, p.round, "
    "  nullif(p.arm, 'none') AS arm, o.artifact, o.attempts, p.at AS proposed, o.started, "
    "  o.finished, o.build_seconds, o.check_seconds, o.measure_seconds, o.simulated_seconds, "
    "  o.seq AS finish_order, o.outcome "
    "  FROM proposals p LEFT JOIN outcomes o USING (trial);"
    "CREATE VIEW samples AS SELECT trial, f.value ->> '$.objective' AS objective, "
    "  f.value -> '$.values' AS \"values\" FROM outcomes, json_each(outcome, '$.figures') f;"
    "CREATE VIEW best AS SELECT id, normalised, normalised_error, value, device, configuration "
    "  FROM trials WHERE job = 'explore' AND normalised IS NOT NULL ORDER BY normalised;"
    "CREATE VIEW failures AS SELECT id, job, status, reason, device, configuration "
    "  FROM trials WHERE status NOT IN ('measured', 'skipped', 'in flight');"
    "CREATE VIEW baselines AS SELECT id, device, job, status, value, reason, started, finished "
    "  FROM trials WHERE job IN ('baseline', 'rebaseline');"
    "CREATE VIEW artifacts AS SELECT artifact AS hash, min(trial) AS first_trial, "
    "  count(*) AS trials FROM outcomes WHERE artifact != '' GROUP BY artifact;"
    "CREATE VIEW status AS SELECT s.name, r.status, r.reason, (SELECT count(*) FROM runs) AS runs, "
    "  (SELECT sum(seconds) FROM runs) AS seconds "
    "  FROM study s, runs r ORDER BY r.run DESC LIMIT 1;"
    "CREATE VIEW events AS SELECT seq, 'proposed' AS what, trial, at FROM proposals "
    "  UNION ALL SELECT seq, 'finished', trial, finished FROM outcomes "
    "  UNION ALL SELECT seq, purpose, candidate, at FROM confirmations "
    "  UNION ALL SELECT seq, verdict, candidate, at FROM verdicts ORDER BY seq;";

constexpr JournalForm kStudyJournal{"study",
                                    "journal.sqlite",
                                    "journal.lock",
                                    "--study",
                                    "nightshift tune PROBLEM --study {}",
                                    "nightshift resume {}",
                                    kApplicationId,
                                    kSchemaVersion,
                                    kTables,
                                    kViews};

}  // namespace nightshift::scheduler
