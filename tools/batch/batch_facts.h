#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scheduler/journal/batch_record.h"
#include "scheduler/journal/history.h"
#include "tools/batch/report/batch_report.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

struct BatchPages {
  // The folder in which the batch's page will stand; empty: no pages are written.
  std::string folder;
  // Told of each study before it is read, "12 of 200".
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

// By what the batch says of it, the study has measured something, which its journal kept.
bool had_journal(const scheduler::BatchStudyRecord& study);
// That the journal of a study, in `folder`, is gone, and what to do: all who read a batch say it so.
// Empty where it is there, or the study has had none.
std::string why_gone(const StudyFolder& folder, const scheduler::BatchStudyRecord& study);
// By study of the record, why its journal cannot be told from, as it is damaged or gone: empty where
// it can, or has not begun.
std::vector<std::string> unread_journals(const std::string& folder,
                                         const scheduler::BatchRecord& record);

// Reads a batch, and the journal of each of its studies, one after the other. Where pages are asked
// for, each study's own is written to its folder (StudyFolder::page). A study that cannot be read
// or written is told in its facts. `wall`: see scheduler::now_in(). Throws JournalError: no batch
// there, or its journal is damaged.
BatchReport read_batch_report(const std::string& folder, double wall, const BatchPages& pages);

}  // namespace nightshift::tools
