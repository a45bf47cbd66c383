#pragma once

#include <optional>
#include <string>

#include "ipc/file_lock.h"

namespace nightshift::scheduler {

// The files of a study's folder that the journal owns.
std::string journal_file(const std::string& folder);  // DIR/journal.sqlite

// The process that writes the study now, "4711 on node7"; nullopt: none.
std::optional<std::string> writer_of(const std::string& folder);

// DIR/journal.lock, held by the one run that writes a study; released when the process ends,
// however it ends.
class StudyLock {
 public:
  explicit StudyLock(const std::string& folder);  // throws JournalError when another run has it

 private:
  ipc::FileLock lock_;
};

}  // namespace nightshift::scheduler
