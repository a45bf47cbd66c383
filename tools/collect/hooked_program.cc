#include "tools/collect/hooked_program.h"

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "ipc/poller.h"
#include "tools/devices/started_command.h"

namespace nightshift::tools {

int run_program(const std::vector<std::string>& words, const Variables& variables) {
  constexpr std::uint64_t kEnded = 1, kSignalled = 2;
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  ipc::Poller poller;
  poller.watch_signals(signals_to_hand_on(), kSignalled);
  StartedCommand command(words);
  poller.add(command.pidfd(), kEnded);
  for (bool ended = false; !ended;) {
    for (const std::uint64_t token : poller.wait(std::nullopt)) ended = ended || token == kEnded;
    // Ctrl-C reaches the command by itself; what was sent to us alone is handed on.
    while (const auto signal = poller.next_signal()) {
      if (*signal != SIGINT) command.signal(*signal);
    }
  }
  return command.code();
}

}  // namespace nightshift::tools
