#include "ipc/poller.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "ipc/system_call.h"

namespace nightshift::ipc {

namespace {

constexpr int kEventsAtOnce = 64;

int wait_once(int epoll, std::array<epoll_event, kEventsAtOnce>& events,
              std::optional<Poller::Clock::time_point> deadline) {
  if (!deadline) return ::epoll_wait(epoll, events.data(), kEventsAtOnce, -1);
  const auto left = std::max(*deadline - Poller::Clock::now(), Poller::Clock::duration::zero());
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(left);
  const timespec relative{whole.count(), (left - whole).count()};
  return ::epoll_pwait2(epoll, events.data(), kEventsAtOnce, &relative, nullptr);
}

void watch(int epoll, int fd, std::uint32_t events, std::uint64_t token) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = token;
  if (::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0) throw_errno("epoll_ctl");
}

}  // namespace

Poller::Poller() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) throw_errno("epoll_create1");
}

void Poller::add(int fd, std::uint64_t token) { watch(epoll_.get(), fd, EPOLLIN, token); }

void Poller::add_writable(int fd, std::uint64_t token) { watch(epoll_.get(), fd, EPOLLOUT, token); }

void Poller::remove(int fd) noexcept { ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr); }

void Poller::watch_signals(const std::vector<int>& signals, std::uint64_t token) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : signals) ::sigaddset(&set, signal);
  if (const int error = ::pthread_sigmask(SIG_BLOCK, &set, nullptr); error != 0) {
    throw std::system_error(error, std::generic_category(), "pthread_sigmask");
  }
  signals_ = UniqueFd(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!signals_) throw_errno("signalfd");
  add(signals_.get(), token);
}

std::optional<int> Poller::next_signal(pid_t* sender) noexcept {
  signalfd_siginfo info{};
  const ssize_t n = retry_interrupted([&] { return ::read(signals_.get(), &info, sizeof info); });
  if (n != static_cast<ssize_t>(sizeof info)) return std::nullopt;
  if (sender != nullptr) *sender = static_cast<pid_t>(info.ssi_pid);
  return static_cast<int>(info.ssi_signo);
}

const std::vector<std::uint64_t>& Poller::wait(std::optional<Clock::time_point> deadline) {
  std::array<epoll_event, kEventsAtOnce> events;
  const int n = retry_interrupted([&] { return wait_once(epoll_.get(), events, deadline); });
  if (n < 0) throw_errno("epoll_wait");
  ready_.clear();
  for (int i = 0; i < n; ++i) ready_.push_back(events[static_cast<std::size_t>(i)].data.u64);
  return ready_;
}

}  // namespace nightshift::ipc
