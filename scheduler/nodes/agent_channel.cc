#include "scheduler/nodes/agent_channel.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include "ipc/system_call.h"
#include "scheduler/nodes/node_line.h"

namespace nightshift::scheduler {
namespace {

// False at the deadline.
bool is_ready(int fd, short events, Clock::TimePoint deadline) {
  pollfd entry{fd, events, 0};
  const auto left = [&] {
    const auto time =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::TimePoint::clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(time.count(), 0, 1 << 30));
  };
  return ipc::retry_interrupted([&] { return ::poll(&entry, 1, left()); }) > 0;
}

}  // namespace

AgentChannel::AgentChannel() : output_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
  if (!output_) ipc::throw_errno("fcntl");
  if (::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) ipc::throw_errno("dup2");
  // A head that is gone is seen by what write() says.
  if (std::signal(SIGPIPE, SIG_IGN) == SIG_ERR) ipc::throw_errno("signal");
  const int flags = ::fcntl(output_.get(), F_GETFL);
  if (flags < 0 || ::fcntl(output_.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    ipc::throw_errno("fcntl");
  }
}

int AgentChannel::input() const { return STDIN_FILENO; }

void AgentChannel::read(Clock::TimePoint deadline) {
  while (open_ && is_ready(STDIN_FILENO, POLLIN, deadline)) {
    std::array<char, std::size_t{64} << 10> bytes;
    const ssize_t n =
        ipc::retry_interrupted([&] { return ::read(STDIN_FILENO, bytes.data(), bytes.size()); });
    if (n <= 0) {
      open_ = false;
      return;
    }
    lines_.append({bytes.data(), static_cast<std::size_t>(n)});
    if (bytes[static_cast<std::size_t>(n) - 1] == '\n') return;
    if (lines_.pending() > 2 * kLongestLine) throw LineError("a line is too long");
  }
}

void AgentChannel::send(const std::string& line, Clock::TimePoint deadline) {
  std::size_t done = 0;
  while (open_ && done < line.size()) {
    const ssize_t n = ipc::retry_interrupted(
        [&] { return ::write(output_.get(), line.data() + done, line.size() - done); });
    if (n > 0) done += static_cast<std::size_t>(n);
    if (n >= 0) continue;
    if (errno != EAGAIN || !is_ready(output_.get(), POLLOUT, deadline)) open_ = false;
  }
}

}  // namespace nightshift::scheduler
