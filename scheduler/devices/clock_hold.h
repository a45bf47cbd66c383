#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "ipc/child_process.h"
#include "ipc/unique_fd.h"
#include "search/problem/device_settings.h"

namespace nightshift::scheduler {

// GPUs held at the clocks and power limit that somebody asked for, as long as this object is. A
// process of its own (evaluator/cuda/clocks/clock_keeper.h) sets and restores them, also when this
// one is killed; where that one was killed as well, whoever next holds one of these GPUs, or
// releases what was left, restores.
class ClockHold {
 public:
  // Settings that want nothing hold nothing. Throws DeviceError where they are strict and cannot be
  // had (then nothing is changed), or where there is no keeper.
  ClockHold(const std::vector<std::string>& uuids, const search::DeviceSettings& settings,
            const std::string& evaluator_program, const std::string& folder);
  ~ClockHold();  // has them restored, and waits for that
  ClockHold(const ClockHold&) = delete;
  ClockHold& operator=(const ClockHold&) = delete;

  // What is not as it was asked for: measured all the same.
  const std::vector<std::string>& warnings() const { return warnings_; }
  // The process that holds them; nothing where nothing is held.
  std::vector<int> process_ids() const;
  // Readable once that process has ended; -1 where nothing is held.
  int keeper_pidfd() const { return keeper_.pidfd(); }
  // That it has ended before release(), and how; nullopt as long as it has not. The clocks are as
  // it left them then, and release() restores them.
  std::optional<std::string> lost();
  // Has them restored, and returns what could not be.
  std::vector<std::string> release() noexcept;

 private:
  std::vector<std::string> uuids_;
  std::string evaluator_program_, folder_;
  std::vector<std::string> warnings_;
  ipc::ChildProcess keeper_;
  ipc::UniqueFd line_;
};

// Restores what a run that was killed together with its keeper has left on these GPUs; changes
// nothing on others. Returns what could not be restored.
std::vector<std::string> restore_clocks(const std::vector<std::string>& uuids,
                                        const std::string& evaluator_program,
                                        const std::string& folder);

}  // namespace nightshift::scheduler
