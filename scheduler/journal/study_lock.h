#pragma once

#include <string>

#include "ipc/unique_fd.h"

namespace nightshift::scheduler {

// The files of a study's folder that the journal owns.
std::string journal_file(const std::string& folder);  // DIR/journal.sqlite

// Held by the one run that writes a study; released when the process ends, however it ends.
//
// flock(2) on DIR/journal.lock, which holds the owner's process id for messages and is never
// removed (removing it would let a third run lock a new file beside the second one's). Not
// boost::interprocess::file_lock: its fcntl lock belongs to the process, so a second opening in the
// same process succeeds, and closing any descriptor of the file drops it.
class StudyLock {
 public:
  explicit StudyLock(const std::string& folder);  // throws JournalError when another run has it

 private:
  ipc::UniqueFd file_;
};

}  // namespace nightshift::scheduler
