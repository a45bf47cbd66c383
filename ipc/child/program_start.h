#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ipc/child_prologue.h"

namespace nightshift::ipc {

// All that a child needs to know between its birth and its program; it allocates nothing for it,
// but for what child_prologue() does.
struct ProgramStart {
  std::vector<std::string> paths;  // tried in this order, as execvp does with those of PATH
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::string directory;                         // empty = ours
  std::vector<std::pair<int, int>> descriptors;  // ours, from `beyond` on -> the child's, before it
  int beyond = 3;
  bool new_session = false;           // else only a group of its own
  bool own_memory = false;            // by fork and not by vfork; see SpawnOptions
  std::optional<ChildLimits> limits;  // child_prologue() is done for the program
};

// Starts it by vfork, unless `own_memory` is asked for: the cost is independent of our size, and
// nothing of ours is exec'd in between, which took 2 ms of a program that takes 0.5 (posix_spawn,
// which can do no prologue, needs a launcher for that). The program has no descriptor that
// `descriptors` does not name, no blocked signal, and none ignored but those of kLeftIgnored.
// Throws std::system_error where it cannot be started, std::runtime_error where its limits cannot
// be applied.
pid_t start(const ProgramStart& program);

}  // namespace nightshift::ipc
