#pragma once

#include <string>

#include "ipc/child_process.h"
#include "search/trial.h"

namespace nightshift::ipc {

// The outcome of a trial whose process ended by itself in `phase`, having printed `last_words`.
search::Crashed crashed(const ExitReport& report, search::Phase phase, std::string last_words);

}  // namespace nightshift::ipc
