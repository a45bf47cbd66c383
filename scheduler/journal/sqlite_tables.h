#pragma once

#include "scheduler/journal/file/journal_form.h"

namespace nightshift::scheduler {

// The SQL of what sqlite_schema.h documents.
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
     "check_sum INTEGER NOT NULL)",
     RowsOf::kNumbered},
    {"proposals",
     "CREATE TABLE proposals(trial INTEGER PRIMARY KEY, seq INTEGER NOT NULL, job TEXT NOT NULL, "
     "configuration_index, configuration TEXT NOT NULL, device TEXT NOT NULL, "
     "confirmation INTEGER NOT NULL, candidate INTEGER NOT NULL, round INTEGER NOT NULL, "
     "arm TEXT NOT NULL, at REAL NOT NULL, check_sum INTEGER NOT NULL)",
     RowsOf::kCounted},
    {"outcomes",
     "CREATE TABLE outcomes(trial INTEGER PRIMARY KEY, seq INTEGER NOT NULL, "
     "status TEXT NOT NULL, reason TEXT NOT NULL, outcome TEXT NOT NULL, "  // JSON with samples
     "attempts INTEGER NOT NULL, device TEXT NOT NULL, artifact TEXT NOT NULL, value REAL, "
     "normalised REAL, normalised_error REAL, build_seconds REAL, check_seconds REAL, "
     "measure_seconds REAL, simulated_seconds REAL, started REAL, finished REAL, "
     "check_sum INTEGER NOT NULL)",
     RowsOf::kCounted},
    {"changes",
     "CREATE TABLE changes(change INTEGER PRIMARY KEY, trial INTEGER NOT NULL, "
     "state TEXT NOT NULL, attempt INTEGER NOT NULL, device TEXT NOT NULL, detail TEXT NOT NULL, "
     "at REAL NOT NULL, check_sum INTEGER NOT NULL)",
     RowsOf::kNumbered},
    {"confirmations",
     "CREATE TABLE confirmations(seq INTEGER PRIMARY KEY, confirmation INTEGER NOT NULL, "
     "purpose TEXT NOT NULL, candidate INTEGER NOT NULL, opponent INTEGER NOT NULL, "
     "devices TEXT NOT NULL, "  // JSON list
     "pairs INTEGER NOT NULL, level REAL NOT NULL, at REAL NOT NULL, check_sum INTEGER NOT NULL)",
     RowsOf::kCounted},
    {"verdicts",
     "CREATE TABLE verdicts(seq INTEGER PRIMARY KEY, confirmation INTEGER NOT NULL, "
     "candidate INTEGER NOT NULL, verdict TEXT NOT NULL, reason TEXT NOT NULL, "
     "ratio REAL, low REAL, high REAL, p_value REAL, "
     "evidence TEXT NOT NULL, "  // JSON: looks, devices, heterogeneity, shape, confidence
     "at REAL NOT NULL, check_sum INTEGER NOT NULL)",
     RowsOf::kCounted},
    {"remarks",
     "CREATE TABLE remarks(remark INTEGER PRIMARY KEY, what TEXT NOT NULL, detail TEXT NOT NULL, "
     "at REAL NOT NULL, check_sum INTEGER NOT NULL)",
     RowsOf::kNumbered},
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

// The latest time in it. Of the steps of trials the last one has it.
constexpr const char* kLastTimeOfStudy =
    "SELECT max(at) FROM (SELECT max(started + seconds) AS at FROM runs "
    "  UNION ALL SELECT max(at) FROM proposals UNION ALL SELECT max(finished) FROM outcomes "
    "  UNION ALL SELECT max(at) FROM confirmations UNION ALL SELECT max(at) FROM verdicts "
    "  UNION ALL SELECT max(at) FROM remarks "
    "  UNION ALL SELECT at FROM (SELECT at FROM changes ORDER BY change DESC LIMIT 1))";

}  // namespace nightshift::scheduler
