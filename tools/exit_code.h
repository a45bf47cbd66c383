#pragma once

namespace nightshift::tools {

// What the program returns; the same list stands in `nightshift --help`.
enum class ExitCode : int {
  kSuccess = 0,        // tune, resume: an improvement was accepted; others: done
                       // (compare: no difference was shown)
  kUsage = 2,          // wrong command line or problem file
  kNoImprovement = 3,  // the study ended without an accepted improvement; recheck: there is no
                       // winner to look at
  kStudyFailed = 4,    // scheduler::StudyError: the baseline failed, or no device is left; compare:
  // one of them failed, or what was measured cannot be judged; batch: a study failed
  kJournal = 5,        // scheduler::JournalError
  kDevice = 6,         // scheduler::DeviceError, SlurmError
  kInterrupted = 7,    // ended by a signal, whatever was accepted until then; can be resumed
  kSecondBetter = 10,  // compare; of several: one of the others is better than the first
  kSecondWorse = 11,   // compare; of several: none is better, and one is worse
  kInternal = 70,      // anything else
  kOutput = 74,        // OutputError: what came out could not be written; the work itself is done
  kUnfinished = 75,    // batch: some studies are not done; the same command goes on; recheck: a
                       // winner is undecided, or no time was left for it
};

}  // namespace nightshift::tools
