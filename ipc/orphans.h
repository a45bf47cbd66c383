#pragma once

#include <sys/types.h>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace nightshift::ipc {

// Makes this process the one that orphaned descendants are handed to.
void become_subreaper();  // throws std::system_error

// Children of this process that are not in `known`, those that have ended as well: grandchildren
// that outlived their parent. Empty where none are handed to it: its children are those that it has
// started. None of them can be missed once that has ended, as nobody but us can reap them. Costs as
// much as sweep_orphans().
std::vector<pid_t> orphans(const std::set<pid_t>& known);

// Kills and reaps orphans(known), whatever group or session they moved to. Returns how many were
// found. Waits at most a second for them to die; what does not is met by a later sweep.
// Reads /proc/PID/stat of every process of the machine, 5 to 8 us each (about a millisecond among a
// hundred): call it after a death, once the next trial was posted.
std::size_t sweep_orphans(const std::set<pid_t>& known);

// Every process started by a run carries this variable with the run's random mark.
constexpr const char* kRunMark = "NIGHTSHIFT_RUN";
std::string fresh_run_mark();  // 32 digits; throws std::system_error
// Kills every process whose environment carries `mark` (but not this one), through pidfds, until
// none is found. Returns how many were found.
std::size_t kill_marked(const std::string& mark);
// Whether that process does, as far as it can still be seen.
bool is_marked(pid_t pid, const std::string& mark);
// Whether there is one; a process in the middle of an exec may be missed.
bool any_marked(const std::string& mark);

}  // namespace nightshift::ipc
