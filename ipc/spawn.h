#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ipc/child_prologue.h"

namespace nightshift::ipc {

struct SpawnOptions {
  std::string program;  // path; searched in the PATH of its environment when it has no slash
  std::vector<std::string> arguments;  // without argv[0]
  std::vector<std::pair<std::string, std::string>>
      environment;                               // added to ours, replacing equal names
  std::string directory;                         // empty = ours
  std::vector<std::pair<int, int>> descriptors;  // ours -> the child's number (>= 3)
  std::size_t output_bytes = 64 << 10;  // kept of standard output and of standard error, each
  bool output_grows = false;  // CapturedStream::Size: ChildProcess::bound_output() is called
  int standard_input = -1;    // -1 = /dev/null; else this descriptor of ours
  int standard_output = -1;   // -1 = captured in memory; else this descriptor of ours
  bool new_session = false;   // leads a session, not only a group (setsid)
  // Born with a copy of our memory, not in it: ChildProcess::peak_memory() is then its own. Takes
  // as long as we are large.
  bool own_memory = false;
  // Of a foreign program: child_prologue() is done for it. One of ours does that itself.
  std::optional<ChildLimits> limits;
};

// The start of ChildProcess::spawn: options.program with `standard_output` and `standard_error` as
// its descriptors 1 and 2, the descriptors that the options name, and no other of ours, whether it
// is marked close-on-exec or not. Throws as start() does.
pid_t start_program(const SpawnOptions& options, int standard_output, int standard_error);

}  // namespace nightshift::ipc
