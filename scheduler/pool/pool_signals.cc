#include "scheduler/pool/pool_signals.h"

namespace nightshift::scheduler {
namespace {

constexpr std::chrono::milliseconds kCountOnce{500};

}  // namespace

PoolSignals::PoolSignals() {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &pipe_action_);
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask_);
}

PoolSignals::~PoolSignals() {
  ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  ::sigaction(SIGPIPE, &pipe_action_, nullptr);
}

void PoolSignals::watch(ipc::Poller& poller, std::uint64_t token) {
  poller.watch_signals({SIGINT, SIGTERM, SIGHUP}, token);
}

std::optional<int> PoolSignals::arrived(ipc::Poller& poller, Clock::TimePoint now) {
  bool any = false;
  while (poller.next_signal()) any = true;
  if (!any || (count_ > 0 && now - counted_ < kCountOnce)) return std::nullopt;
  counted_ = now;
  return ++count_;
}

}  // namespace nightshift::scheduler
