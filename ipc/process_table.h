#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightshift::ipc {

// What /proc says. A process may end at any time: every answer may be out of date already.
std::vector<pid_t> all_processes();
std::optional<pid_t> parent_of(pid_t pid);  // nullopt: it is gone
// That the process is stopped, by job control or by a SIGSTOP; not one that is being traced.
struct Stopped {
  int signal = 0;             // that stopped it; 0 where the kernel (before 5.17) does not say
  bool has_terminal = false;  // a controlling one
};
// nullopt: it is not, or is gone.
std::optional<Stopped> stopped(pid_t pid);
std::optional<Stopped> stopped_in(std::string_view stat);  // the text of /proc/PID/stat
// What holds a process, or one that it started, so that it cannot go on by itself: "stopped by a
// signal", "frozen with its control group", or the third, as for memory or a disk. Empty where
// nothing does.
inline constexpr std::string_view kWaitsInTheKernel = "waiting in the kernel";
std::string_view held_by(pid_t pid);
// The CPU time of a process, of those that it has waited for, and of all its living descendants, in
// ticks of the kernel's clock (10 ms). It may fall where one of these is gone.
std::uint64_t cpu_ticks_of_tree(pid_t pid);
// Of the living threads of a process and of all its living descendants, summed up: seconds on a core,
// and seconds in which they were ready to run and had none. Both may fall where one of these is gone.
// nullopt where the kernel does not say (CONFIG_SCHED_INFO), or the process is gone.
struct CoreTimes {
  double ran = 0, waited = 0;
};
std::optional<CoreTimes> core_times_of_tree(pid_t pid);
std::optional<CoreTimes> core_times_in(std::string_view schedstat);  // the text of such a file
// The largest resident set in bytes (VmHWM) that a process or one of its living descendants has
// had, not the sum, since it was started or was told to forget it. nullopt where the kernel does
// not say, or the process is gone.
std::optional<std::uint64_t> peak_memory_of_tree(pid_t pid);
// From now on what they have now is their largest. False where the kernel does not let us, of the
// process itself (/proc/PID/clear_refs needs CONFIG_PROC_PAGE_MONITOR), or it is gone.
bool forget_peak_memory_of_tree(pid_t pid);
std::optional<std::uint64_t> peak_memory_in(std::string_view status);  // the text of such a file
// What a living process is called (its comm), 15 bytes at most; empty where it is gone or has ended.
std::string living_name_of(pid_t pid);
// The environment that it was started with, entries separated by '\0'; empty when it is gone, a
// zombie, in the middle of an exec, or not ours to read.
std::string environment_of(pid_t pid);

}  // namespace nightshift::ipc
