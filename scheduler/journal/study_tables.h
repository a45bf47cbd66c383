#pragma once

#include <string>

#include "scheduler/journal/journal.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// Puts the journal of a new study in the place of what the folder has: its tables, and in them what
// is written once. Nothing changes there where that fails. For who holds the JournalLock. Throws
// JournalError.
void publish_study(const std::string& folder, const StudyHeader& header,
                   const search::Problem& problem);

}  // namespace nightshift::scheduler
