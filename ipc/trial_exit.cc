#include "ipc/trial_exit.h"

#include <utility>

namespace nightshift::ipc {

search::Crashed crashed(const ExitReport& report, search::Phase phase, std::string last_words) {
  search::Crashed crash;
  crash.phase = phase;
  crash.last_words = std::move(last_words);
  if (const auto* exited = std::get_if<Exited>(&report)) {
    crash.cause = search::Crashed::Cause::kExitCode;
    crash.code = exited->code;
  } else {
    crash.cause = search::Crashed::Cause::kSignal;
    crash.code = std::get<Killed>(report).signal;
  }
  return crash;
}

}  // namespace nightshift::ipc
