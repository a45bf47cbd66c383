#include "ipc/trial_exit.h"

#include <utility>
#include <variant>

#include "base/overloaded.h"

namespace nightshift::ipc {

search::Crashed crashed(const ExitReport& report, search::Phase phase, std::string last_words) {
  search::Crashed crash;
  crash.phase = phase;
  crash.last_words = std::move(last_words);
  std::visit(base::Overloaded{
                 [&](const Exited& exited) {
                   crash.cause = search::Crashed::Cause::kExitCode;
                   crash.code = exited.code;
                 },
                 [&](const Killed& killed) {
                   crash.cause = search::Crashed::Cause::kSignal;
                   crash.code = killed.signal;
                 },
             },
             report);
  return crash;
}

}  // namespace nightshift::ipc
