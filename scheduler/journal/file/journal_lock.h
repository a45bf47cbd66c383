#pragma once

#include <optional>
#include <string>

#include "ipc/file_lock.h"
#include "scheduler/journal/file/journal_form.h"

namespace nightshift::scheduler {

// The process that writes the journal in `folder` now, "4711 on node7"; nullopt: none.
std::optional<std::string> writer_of(const JournalForm& form, const std::string& folder);

// Held by the one run that writes a journal; released when the process ends, however it ends.
class JournalLock {
 public:
  // Throws JournalError when another run has it.
  JournalLock(const JournalForm& form, const std::string& folder);

 private:
  ipc::FileLock lock_;
};

}  // namespace nightshift::scheduler
