#pragma once

#include <csignal>
#include <optional>

#include "ipc/poller.h"
#include "scheduler/clock.h"

namespace nightshift::scheduler {

// The signals of a run: SIGPIPE is ignored from construction on (a child that has died is seen by
// its pidfd); SIGINT, SIGTERM and SIGHUP are counted once they are watched. The destructor puts
// both back to what they were.
class PoolSignals {
 public:
  PoolSignals();
  ~PoolSignals();
  PoolSignals(const PoolSignals&) = delete;
  PoolSignals& operator=(const PoolSignals&) = delete;

  void watch(ipc::Poller& poller, std::uint64_t token);  // throws std::system_error
  // Takes in what has come. The new count when it went up: signals within half a second count once.
  std::optional<int> arrived(ipc::Poller& poller, Clock::TimePoint now);

 private:
  struct sigaction pipe_action_ {};
  sigset_t mask_{};
  int count_ = 0;
  Clock::TimePoint counted_{};
};

}  // namespace nightshift::scheduler
