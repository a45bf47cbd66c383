#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace nightshift::ipc {

// What /proc says. A process may end at any time: every answer may be out of date already.
std::vector<pid_t> all_processes();
std::optional<pid_t> parent_of(pid_t pid);  // nullopt: it is gone
// The environment that it was started with, entries separated by '\0'; empty when it is gone, a
// zombie, in the middle of an exec, or not ours to read.
std::string environment_of(pid_t pid);

}  // namespace nightshift::ipc
