#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "ipc/poller.h"
#include "scheduler/clock.h"
#include "scheduler/worker_pool.h"

namespace nightshift::scheduler {

// The signals of a run, see ipc/stop_signals.h. SIGPIPE is ignored from construction on: a child
// that has died is seen by its pidfd. The others are taken in once they are watched; what was
// ignored before (nohup) stays ignored. The destructor puts back what was, with two exceptions, so
// that no late signal cuts off what is told at the end: the wind-up signal stays ignored, and where
// a stop was asked for, the stop signals stay blocked (Slurm sends each twice).
class PoolSignals {
 public:
  // A stop signal this soon after the one that was counted is the same request: batch systems send
  // each twice, service managers add SIGHUP. A person at a terminal is faster.
  static constexpr std::chrono::milliseconds kSameRequest{2000};
  static constexpr std::chrono::milliseconds kSameKeystroke{500};  // of SIGINT

  PoolSignals();
  ~PoolSignals();
  PoolSignals(const PoolSignals&) = delete;
  PoolSignals& operator=(const PoolSignals&) = delete;

  void watch(ipc::Poller& poller, std::uint64_t token);  // throws std::system_error
  // Takes in what has come: Interrupted where the count went up, WindUp the first time. What a
  // process with the run's mark has sent, a program under test, is a Notice the first time and else
  // nothing: it would end the run each time that it is tried. Where it has ended by now nobody can
  // tell, and the signal counts.
  std::vector<PoolEvent> arrived(ipc::Poller& poller, Clock::TimePoint now,
                                 const std::string& run_mark = "");

 private:
  std::optional<Interrupted> counted(int signal, Clock::TimePoint now);

  struct sigaction pipe_action_ {};
  sigset_t mask_{};
  int count_ = 0;
  Clock::TimePoint counted_{};
  bool winds_up_ = false;
  bool told_ = false;  // of a signal by a program under test
};

}  // namespace nightshift::scheduler
