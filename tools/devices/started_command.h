#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "ipc/unique_fd.h"

namespace nightshift::tools {

// A command that a subcommand runs for its user, as a shell would start it: our terminal, our
// process group, our streams. Ctrl-C reaches it by itself.
class StartedCommand {
 public:
  // Throws UsageError where it cannot be started.
  explicit StartedCommand(std::vector<std::string> words);

  int pidfd() const { return pidfd_.get(); }  // readable once it has ended
  void signal(int number) const;
  // Waits for its end: its exit code, or 128 and the signal that ended it.
  int code();

 private:
  pid_t pid_ = 0;
  ipc::UniqueFd pidfd_;
};

// The signals that whoever runs a command watches, and hands on: what ends a run, or tells it that
// its end is near.
std::vector<int> signals_to_hand_on();

}  // namespace nightshift::tools
