#pragma once

#include <sys/types.h>

#include "ipc/child_process.h"

namespace nightshift::ipc {

// The posix_spawn of ChildProcess::spawn: starts options.program with `standard_output` and
// `standard_error` as its descriptors 1 and 2, the descriptors that the options name, and no other
// of ours, whether it is marked close-on-exec or not. Throws std::system_error.
pid_t start_program(const SpawnOptions& options, int standard_output, int standard_error);

}  // namespace nightshift::ipc
