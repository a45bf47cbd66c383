#include "scheduler/pool/pool_signals.h"

#include <utility>

#include "ipc/orphans.h"
#include "ipc/stop_signals.h"
#include "search/trial.h"

namespace nightshift::scheduler {

PoolSignals::PoolSignals() {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &pipe_action_);
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask_);
}

PoolSignals::~PoolSignals() {
  if (count_ > 0) {
    for (const int signal : ipc::kStopSignals) ::sigaddset(&mask_, signal);
  }
  ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  ::sigaction(SIGPIPE, &pipe_action_, nullptr);
}

// A signal that is blocked is reported although it is ignored. So what was ignored before is not
// watched, and the one that children are to ignore is ignored here, from where they inherit that.
void PoolSignals::watch(ipc::Poller& poller, std::uint64_t token) {
  std::vector<int> watched = ipc::stop_signals_not_ignored();
  watched.push_back(ipc::kWindUpSignal);
  poller.watch_signals(watched, token);
  ::signal(ipc::kWindUpSignal, SIG_IGN);
}

std::optional<Interrupted> PoolSignals::counted(int signal, Clock::TimePoint now) {
  const auto window = signal == SIGINT ? kSameKeystroke : kSameRequest;
  if (count_ > 0 && now - counted_ < window) return std::nullopt;
  counted_ = now;
  return Interrupted{++count_, signal};
}

std::vector<PoolEvent> PoolSignals::arrived(ipc::Poller& poller, Clock::TimePoint now,
                                            const std::string& run_mark) {
  std::vector<PoolEvent> events;
  pid_t sender = 0;
  while (const auto signal = poller.next_signal(&sender)) {
    if (sender > 0 && !run_mark.empty() && ipc::is_marked(sender, run_mark)) {
      if (std::exchange(told_, true)) continue;
      events.emplace_back(Notice{"a program under test has sent " + search::signal_name(*signal) +
                                 " to the run, which goes on"});
    } else if (*signal == ipc::kWindUpSignal) {
      if (!std::exchange(winds_up_, true)) events.emplace_back(WindUp{});
    } else if (const auto interrupted = counted(*signal, now)) {
      events.emplace_back(*interrupted);
    }
  }
  return events;
}

}  // namespace nightshift::scheduler
