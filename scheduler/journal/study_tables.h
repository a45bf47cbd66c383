#pragma once

#include <map>
#include <string>

#include "scheduler/journal/file/sqlite_statement.h"
#include "scheduler/journal/journal.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// Puts the journal of a new study in the place of what the folder has: its tables, and in them what
// is written once. Nothing changes there where that fails. For who holds the JournalLock. Throws
// JournalError.
void publish_study(const std::string& folder, const StudyHeader& header,
                   const search::Problem& problem);

// How many rows `environment` says that the tables of the problem have, by table. Journals of
// earlier versions do not say it.
using ProblemRows = std::map<std::string, std::string, std::less<>>;
// These tables are for people: of their rows it matters that they are all there, as they were
// written; and of `runs` that there is one where anything was proposed. Throws JournalError.
void expect_problem_rows(SqliteDatabase& database, const ProblemRows& expected);
// All that the tables hold, before anything is written to them or copied. Throws JournalError.
void expect_whole(SqliteDatabase& database);

}  // namespace nightshift::scheduler
