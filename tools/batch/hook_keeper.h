#pragma once

#include <sys/types.h>

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "ipc/unique_fd.h"
#include "scheduler/forked_pool_options.h"

namespace nightshift::tools {

// Runs commands of the user beside a batch, one after the other, each by a shell with facts as one
// line of JSON on its standard input, at most a minute each. They belong to a process of their own,
// a session's leader: a hook that fails or hangs, and a signal to the batch's group, harm neither.
// What they print, and that they failed, goes to a log file.
class HookKeeper {
 public:
  // Must be made before a pool is. Throws std::system_error.
  explicit HookKeeper(const std::string& log_file);
  // The commands that are due have a few seconds to end; then they are left to themselves.
  ~HookKeeper();
  HookKeeper(const HookKeeper&) = delete;
  HookKeeper& operator=(const HookKeeper&) = delete;

  // False where too many wait already: it is left out.
  bool run(const std::string& command, const nlohmann::ordered_json& facts);
  // For the pool: it is to be left alone.
  scheduler::Bystander bystander() const;

 private:
  pid_t pid_ = -1;
  ipc::UniqueFd line_;
};

}  // namespace nightshift::tools
