#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "ipc/unique_fd.h"

namespace nightshift::ipc {

// Waits for any of several descriptors to become readable or writable, on epoll, with an absolute
// deadline. Level-triggered. Signals can be watched as one more source (signalfd), so that no
// handler runs and no wake-up is lost.
class Poller {
 public:
  using Clock = std::chrono::steady_clock;

  Poller();  // throws std::system_error
  void add(int fd, std::uint64_t token);
  void add_writable(int fd, std::uint64_t token);  // the same, once it can be written to
  void remove(int fd) noexcept;                    // before the descriptor is closed

  // From now on these signals are blocked in this thread and reported as `token`.
  void watch_signals(const std::vector<int>& signals, std::uint64_t token);
  // One that was caught; nullopt when none is left. `sender`, where given, becomes the process that
  // sent it; 0 where it came from a terminal or the kernel.
  std::optional<int> next_signal(pid_t* sender = nullptr) noexcept;

  // Tokens that are ready; empty at the deadline. nullopt deadline = no limit.
  // The result is valid until the next call.
  const std::vector<std::uint64_t>& wait(std::optional<Clock::time_point> deadline);

 private:
  UniqueFd epoll_, signals_;
  std::vector<std::uint64_t> ready_;
};

}  // namespace nightshift::ipc
