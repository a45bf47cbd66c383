#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace nightshift::ipc {

struct SpawnOptions {
  std::string program;                 // path; searched in PATH when it has no slash
  std::vector<std::string> arguments;  // without argv[0]
  std::vector<std::pair<std::string, std::string>>
      environment;                               // added to ours, replacing equal names
  std::string directory;                         // empty = ours
  std::vector<std::pair<int, int>> descriptors;  // ours -> the child's number (>= 3)
  std::size_t output_bytes = 64 << 10;  // kept of standard output and of standard error, each
  int standard_input = -1;              // -1 = /dev/null; else this descriptor of ours
  int standard_output = -1;             // -1 = captured in memory; else this descriptor of ours
  bool new_session = false;             // leads a session, not only a group (setsid)
};

// The posix_spawn of ChildProcess::spawn: starts options.program with `standard_output` and
// `standard_error` as its descriptors 1 and 2, the descriptors that the options name, and no other
// of ours, whether it is marked close-on-exec or not. Throws std::system_error.
pid_t start_program(const SpawnOptions& options, int standard_output, int standard_error);

}  // namespace nightshift::ipc
