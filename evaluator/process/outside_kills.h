#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "evaluator/backend.h"
#include "evaluator/process/launched_child.h"
#include "ipc/child_process.h"
#include "search/trial.h"

namespace nightshift::evaluator {

// Whether the program, or one that it had started and tells of in `words`, was killed from outside
// (ipc/stop_signals.h): a compiler's driver, make, ninja, a shell, Python, cargo or go tells so. That
// is the machine's doing or somebody's, mostly for want of memory, and says nothing of what it was
// started for. Lines that quote a source do not count.
bool was_killed(const ipc::ExitReport& report, std::string_view words);
bool was_killed(const search::Crashed& crash);

// Whether a program that failed says that there was no memory or no room on a disk: the machine's doing as
// well, where no limit of ours made it so.
bool was_starved(const ipc::ExitReport& report, std::string_view words);

// As is a process or a thread that the system refused it: "cannot execute 'as': vfork: Resource
// temporarily unavailable". Lines that quote a source do not count.
bool was_refused_processes(const ipc::ExitReport& report, std::string_view words);

// A program that was killed from outside, or starved, is started again, twice, each time after a
// while: whoever needed its memory may be done by then; three times, in some three seconds, where it
// was refused processes. Of all that is started for a moment: compilers, builds of a problem's own,
// disassemblers, profilers, interpreters that describe a problem.
class OutsideKills {
 public:
  // own_limit: the address space of what is started is limited, which it may have used up itself: it is
  // started again once for want of memory.
  explicit OutsideKills(bool own_limit = false) : own_limit_(own_limit) {}

  // True where it is to be started again; the while has passed then. Never later than `deadline`.
  bool again(const ipc::ExitReport& report, std::string_view words, Clock::time_point deadline,
             ProgressSink& progress);
  // "PROGRAM was killed from outside 3 times, as by the system where memory is short: ", or that it found
  // no memory or room so often; empty where its last end was none of these. Of refused processes it
  // begins as search::tells_of_no_process() has it.
  std::string told(std::string_view program) const;

 private:
  enum class Last : std::uint8_t { kNeither, kKilled, kRefused, kStarved };
  bool own_limit_;
  std::size_t count_ = 0;
  Last last_ = Last::kNeither;
};

}  // namespace nightshift::evaluator
