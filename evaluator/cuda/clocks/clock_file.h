#pragma once

#include <optional>
#include <string>

#include "evaluator/cuda/clocks/clock_settings.h"
#include "ipc/file_lock.h"

namespace nightshift::evaluator::cuda {

// FOLDER/clocks-UUID: what undoes the settings of a GPU, written before they are made, so that
// whoever comes after a keeper that was killed can restore. Locked as long as its keeper
// lives; empty where there is nothing to undo; never removed, since another could have opened it.
//
// One line: "nightshift-clocks 1 KEEPER_PID SM MEMORY POWER_MW", the last three as in ClockUndo.
class ClockFile {
 public:
  // nullopt where a keeper that lives has it, and keeps it for three seconds, or where it cannot be
  // opened; `why` says which.
  static std::optional<ClockFile> open(const std::string& folder, const std::string& uuid,
                                       std::string& why);

  // What a keeper that is gone has left; nullopt = nothing, or half a line, which means that it had
  // changed nothing yet.
  std::optional<ClockUndo> left_over() const;
  // On disk when this returns. False where that is not possible: then nothing may be changed.
  bool write(const ClockUndo& undo);
  void clear();

 private:
  explicit ClockFile(ipc::FileLock lock) : lock_(std::move(lock)) {}
  ipc::FileLock lock_;
};

}  // namespace nightshift::evaluator::cuda
