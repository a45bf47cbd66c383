#pragma once

#include <map>
#include <string>
#include <vector>

#include "problems/override.h"
#include "scheduler/journal/batch_record.h"
#include "scheduler/journal/history.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

// Whose a journal is: a folder may stand in the place of another study's (a copy, a restore).

// What tells studies of one problem file from each other: budgets change, and what a study learns
// from and multiprocessors are settled when it begins.
std::map<std::string, std::string> telling_settings(
    const std::vector<problems::Override>& overrides);

// Throws JournalError where the journal that stands in the folder of the study `own` is that of
// another one: of one of `all`, which the batch has, or of a problem that is called otherwise.
// `own` may have been changed in the batch file since.
void expect_own_journal(const scheduler::History& history, const StudyFolder& folder,
                        const scheduler::BatchStudyTerms& own,
                        const std::vector<scheduler::BatchStudyTerms>& all);
std::vector<scheduler::BatchStudyTerms> terms_in(const scheduler::BatchRecord& record);

// Throws UsageError where a batch stands where a study is expected: it has trials in its studies
// alone. `command`, and `rest` behind the study, are what is advised; empty: the study's folder.
void refuse_batch(const StudyFolder& folder, const std::string& command = "",
                  const std::string& rest = "");

// scheduler::load_history() for who is given the folder of a study by name; of one that stands in a
// batch as that of one of its studies expect_own_journal() holds. Who reads all studies of a batch
// has its record already, and asks that itself. A batch is refused.
scheduler::History load_own_history(const std::string& folder, scheduler::Detail detail);

}  // namespace nightshift::tools
