#pragma once

#include <array>
#include <csignal>
#include <vector>

namespace nightshift::ipc {

// What the signals that a run can get mean. Batch systems and service managers send them to every
// process of a job, the children included, and not at the same instant.
//
// These ask for the end: a terminal (SIGINT, SIGHUP), a service manager or a batch system.
inline constexpr std::array kStopSignals{SIGINT, SIGTERM, SIGHUP, SIGUSR2, SIGXCPU};
// Its end comes near: no more is begun that is not needed for a result. Children ignore it.
inline constexpr int kWindUpSignal = SIGUSR1;
// Where these are ignored they stay so in every child: the first two by whoever started us (nohup,
// a job in the background of a script), the last by us.
inline constexpr std::array kLeftIgnored{SIGHUP, SIGINT, kWindUpSignal};

inline bool is_stop_signal(int signal) {
  for (const int stop : kStopSignals) {
    if (stop == signal) return true;
  }
  return false;
}

// Whether a process that ends by it was ended by somebody else: memory pressure, an operator, a
// batch system, a terminal. Not SIGXCPU, by which a limit of ours ends it.
inline bool is_from_outside(int signal) {
  return signal == SIGKILL || signal == SIGTERM || signal == SIGHUP || signal == SIGINT;
}

inline bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// Those to be watched: of what was ignored when we were started, nothing is to be heard.
inline std::vector<int> stop_signals_not_ignored() {
  std::vector<int> heard;
  for (const int signal : kStopSignals) {
    const bool may_be_ignored = signal == SIGHUP || signal == SIGINT;
    if (!may_be_ignored || !is_ignored(signal)) heard.push_back(signal);
  }
  return heard;
}

// While it lives, stop signals wait: for whoever watches them next (PoolSignals), or for pending().
// A command that measures several times is so not ended between two measurements, without what it
// has found. Signals that still wait at its end stay blocked.
class HeldStopSignals {
 public:
  HeldStopSignals() {
    sigset_t held;
    ::sigemptyset(&held);
    for (const int signal : stop_signals_not_ignored()) ::sigaddset(&held, signal);
    ::pthread_sigmask(SIG_BLOCK, &held, &mask_);
  }
  ~HeldStopSignals() {
    if (!pending()) ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  }
  HeldStopSignals(const HeldStopSignals&) = delete;
  HeldStopSignals& operator=(const HeldStopSignals&) = delete;

  // One came, and nobody took it.
  bool pending() const {
    sigset_t waiting;
    ::sigemptyset(&waiting);
    ::sigpending(&waiting);
    for (const int signal : stop_signals_not_ignored()) {
      if (::sigismember(&waiting, signal) == 1) return true;
    }
    return false;
  }

 private:
  sigset_t mask_{};
};

// For a process that outlives its parent: none of them ends it.
inline void ignore_run_signals() {
  for (const int signal : kStopSignals) ::signal(signal, SIG_IGN);
  ::signal(kWindUpSignal, SIG_IGN);
  ::signal(SIGPIPE, SIG_IGN);
}

}  // namespace nightshift::ipc
