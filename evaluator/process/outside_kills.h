#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "evaluator/backend.h"
#include "evaluator/process/launched_child.h"
#include "ipc/child_process.h"
#include "search/trial.h"

namespace nightshift::evaluator {

// Whether the program, or one that it had started and tells of in `words`, was killed from outside
// (ipc/stop_signals.h). That is the machine's doing or somebody's, mostly for want of memory, and
// says nothing of what it was started for.
bool was_killed(const ipc::ExitReport& report, std::string_view words);
bool was_killed(const search::Crashed& crash);

// A program that was killed from outside is started again, twice, each time after a while: whoever
// needed its memory may be done by then. Of all that is started for a moment: compilers, builds of
// a problem's own, disassemblers, profilers.
class OutsideKills {
 public:
  // True where it is to be started again; the while has passed then. Never later than `deadline`.
  bool again(const ipc::ExitReport& report, std::string_view words, Clock::time_point deadline,
             ProgressSink& progress);
  // "PROGRAM was killed from outside 3 times, as by the system where memory is short: "; empty
  // where its last end was none by a kill.
  std::string told(std::string_view program) const;

 private:
  std::size_t count_ = 0;
  bool was_last_ = false;
};

}  // namespace nightshift::evaluator
