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
// The environment that it was started with, entries separated by '\0'; empty when it is gone, a
// zombie, in the middle of an exec, or not ours to read.
std::string environment_of(pid_t pid);

}  // namespace nightshift::ipc
