#pragma once

#include <string>

#include "scheduler/errors.h"
#include "scheduler/pool/room_left.h"
#include "search/telling_line.h"
#include "tools/usage_error.h"

namespace nightshift::tools {

// Where `words`, of a build in `folder` that failed, are those of a disk that is full (OutputError), or
// of a machine that starts no process (scheduler::NoRoomError): they say nothing of what was to be
// built.
inline void throw_where_lacking(const std::string& folder, const std::string& words) {
  const std::string lack = scheduler::lack_of_machine({folder}, search::BuildFailed{words});
  if (lack.empty()) return;
  if (search::tells_of_no_process(words)) throw scheduler::NoRoomError(lack);
  throw OutputError(lack +
                    ", where what is compiled is written: No space left on device; free some, or "
                    "name another folder by TMPDIR: nothing is held against a source for it");
}

}  // namespace nightshift::tools
