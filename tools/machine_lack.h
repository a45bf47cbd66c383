#pragma once

#include <string>

#include "scheduler/errors.h"
#include "scheduler/pool/room_left.h"

namespace nightshift::tools {

// Throws scheduler::NoRoomError where `words`, of a build that failed, are those of a disk that is
// full, or of a machine that starts no process: they say nothing of what was to be built. `folder`:
// where it was; `needs`, behind "and": "what is compiled is written there".
inline void throw_where_lacking(const std::string& folder, const std::string& words,
                                const std::string& needs) {
  const std::string lack = scheduler::lack_of_machine({folder}, search::BuildFailed{words});
  if (lack.empty()) return;
  throw scheduler::NoRoomError(lack + ", and " + needs +
                               "\nFree some, or name another folder by TMPDIR; nothing is held "
                               "against a source for it");
}

}  // namespace nightshift::tools
