#pragma once

#include <string>

#include "ipc/file_lock.h"

namespace nightshift::tools {

// Held by the one run that measures for the table in a folder, so that no two write its
// measured.jsonl and its table.json; released when the process ends, however it ends. Whoever reads
// a table needs none.
class TableLock {
 public:
  // Throws scheduler::JournalError where another run has it, which says who, or where there can be
  // no lock.
  explicit TableLock(const std::string& folder);

 private:
  ipc::FileLock lock_;
};

}  // namespace nightshift::tools
