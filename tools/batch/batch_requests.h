#pragma once

#include <string>
#include <vector>

#include "problems/batch_file.h"
#include "scheduler/journal/batch_journal.h"

namespace nightshift::tools {

// Batches seen from other commands than the one that runs them. All throw UsageError where there is
// no such batch or study, and JournalError.

// The folder of a batch: `batch` itself where it is one, else batches/BATCH.
std::string batch_folder(const std::string& batch);

// What `batch run` is given.
struct AskedBatch {
  std::string name;
  std::string folder;
  std::vector<scheduler::BatchStudyTerms> studies;
  problems::BatchHooks hooks;
};
// Of files, or of the folder of a batch, whose record has the studies. The folder is `folder` where
// that is not empty, the one that was given, or batches/NAME.
AskedBatch asked_batch(const std::vector<std::string>& paths, const std::string& folder);

// Each is asked of the batch and told as a line: what became of it, or that the batch will see it
// when it runs next. A study whose name is taken gets another one.
std::string add_to_batch(const std::string& batch, std::vector<problems::BatchEntry> entries);
// `names`: of studies, or "all".
std::string ask_of_batch(const std::string& batch, scheduler::BatchRequest::Kind kind,
                         std::vector<std::string> names);

// A line for each study, cut at `columns` (npos: whole), and why the journals of some cannot be told
// from.
std::string batch_list(const std::string& batch, std::size_t columns);

}  // namespace nightshift::tools
