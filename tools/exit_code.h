#pragma once

namespace nightshift::tools {

// What the program returns; the same list stands in `nightshift --help`.
enum class ExitCode : int {
  kSuccess = 0,        // tune, resume: an improvement was accepted; others: done
  kUsage = 2,          // wrong command line or problem file
  kNoImprovement = 3,  // the study ended without an accepted improvement
  kStudyFailed = 4,    // scheduler::StudyError: the baseline failed, or no device is left
  kJournal = 5,        // scheduler::JournalError
  kDevice = 6,         // scheduler::DeviceError
  kInterrupted = 7,    // ended by a signal, whatever was accepted until then; can be resumed
  kInternal = 70,      // anything else
};

}  // namespace nightshift::tools
