#include "evaluator/command/server_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>

#include "evaluator/command/output_limit.h"
#include "ipc/orphans.h"
#include "ipc/process_table.h"

namespace nightshift::evaluator {
namespace {

constexpr std::chrono::milliseconds kBeat{200};
constexpr std::chrono::milliseconds kPatience{10000};
constexpr std::chrono::milliseconds kLastWriter{2000};
constexpr std::chrono::milliseconds kTimeToEnd{500};  // for a program that has closed its output
constexpr std::chrono::milliseconds kShortLook{1};

struct Pipe {
  ipc::UniqueFd read, write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe2");
  }
  return {ipc::UniqueFd(ends[0]), ipc::UniqueFd(ends[1])};
}

// Of our end only: the two ends of a pipe have flags of their own.
void make_nonblocking(const ipc::UniqueFd& fd) {
  if (::fcntl(fd.get(), F_SETFL, O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "fcntl(O_NONBLOCK)");
  }
}

}  // namespace

ServerProcess::ServerProcess(LaunchOptions options) : options_(std::move(options)) {}

void ServerProcess::start() {
  Pipe requests = make_pipe();
  Pipe replies = make_pipe();
  // A pipe of one page is full while anything is in it: poll() then tells when it has been read.
  // Where the size cannot be set, wait() looks again after a millisecond.
  (void)::fcntl(requests.write.get(), F_SETPIPE_SZ, static_cast<int>(::sysconf(_SC_PAGESIZE)));
  make_nonblocking(requests.write);
  make_nonblocking(replies.read);
  LaunchOptions options = options_;
  options.standard_input = requests.read.get();
  options.standard_output = replies.write.get();
  process_ = launch(options);
  to_ = std::move(requests.write);
  from_ = std::move(replies.read);
  CPU_ZERO(&cores_);
  (void)::sched_getaffinity(0, sizeof cores_, &cores_);
  pending_.clear();
  lines_.clear();
  received_ = 0;
  takes_input_ = true;
  at_end_ = false;
}

bool ServerProcess::is_of_program(pid_t process) const {
  std::optional<pid_t> at = process;
  while (at && *at > 1 && *at != process_.pid()) at = ipc::parent_of(*at);
  return at && *at == process_.pid();
}

// What is started meanwhile inherits from a thread that was moved, or is met by the second round.
void ServerProcess::follow_cores() {
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  if (::sched_getaffinity(0, sizeof wanted, &wanted) != 0 || CPU_EQUAL(&wanted, &cores_)) return;
  for (int round = 0; round < 2; ++round) {
    for (const pid_t process : ipc::all_processes()) {
      if (!is_of_program(process)) continue;
      const std::string folder = "/proc/" + std::to_string(process) + "/task";
      const std::unique_ptr<DIR, int (*)(DIR*)> tasks(::opendir(folder.c_str()), ::closedir);
      if (!tasks) continue;
      while (const dirent* entry = ::readdir(tasks.get())) {
        const int thread = std::atoi(entry->d_name);
        if (thread > 0) (void)::sched_setaffinity(thread, sizeof wanted, &wanted);
      }
    }
  }
  cores_ = wanted;
}

void ServerProcess::stop() {
  process_.destroy(kPatience);
  process_ = ipc::ChildProcess();
  to_.reset();
  ipc::sweep_orphans({});
  await_last_writer();
  from_.reset();
}

// A program may have had another process fork what speaks for it (python/nightshift/imports.py),
// which ends when the program has, a moment later.
void ServerProcess::await_last_writer() {
  const auto deadline = Clock::now() + kLastWriter;
  std::array<char, 16384> block;
  while (from_) {
    const ssize_t n = ::read(from_.get(), block.data(), block.size());
    if (n > 0 || (n < 0 && errno == EINTR)) continue;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (n == 0 || errno != EAGAIN || left.count() <= 0) return;
    pollfd end{from_.get(), POLLIN, 0};
    ::poll(&end, 1, static_cast<int>(left.count()));
  }
}

std::string ServerProcess::standard_error() const {
  const std::string text = process_.standard_error();
  if (!process_.output_was_cut()) return text;
  return text + "\nerror: its standard error was cut off at " +
         output_limit_text(options_.output_bytes);
}

void ServerProcess::forget_output() {
  received_ = 0;
  process_.forget_output();
}

void ServerProcess::write(std::string_view text) {
  pending_ += text;
  send();
}

void ServerProcess::send() {
  while (!pending_.empty() && takes_input_) {
    const ssize_t n = ::write(to_.get(), pending_.data(), pending_.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) takes_input_ = false;
    if (n > 0) pending_.erase(0, static_cast<std::size_t>(n));
  }
}

void ServerProcess::take_in() {
  std::array<char, 16384> block;
  while (received_ <= options_.output_bytes) {
    const ssize_t n = ::read(from_.get(), block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) at_end_ = true;
    if (n <= 0) return;
    received_ += static_cast<std::size_t>(n);
    lines_.append({block.data(), static_cast<std::size_t>(n)});
  }
}

// Nobody holds the other end any more.
bool ServerProcess::input_closed() const {
  pollfd room{to_.get(), POLLOUT, 0};
  return ::poll(&room, 1, 0) > 0 && (room.revents & POLLERR) != 0;
}

void ServerProcess::move() {
  bound_output();
  send();
  if (takes_input_ && input_closed()) takes_input_ = false;
  take_in();
  if (!process_.dead()) return;
  take_in();  // what it printed between the look and its death
  at_end_ = true;
}

std::size_t ServerProcess::unread() const {
  int in_pipe = 0;
  if (::ioctl(to_.get(), FIONREAD, &in_pipe) != 0) in_pipe = 0;
  return pending_.size() + static_cast<std::size_t>(std::max(in_pipe, 0));
}

void ServerProcess::wait(Clock::time_point deadline) const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  auto patience = std::clamp(left, std::chrono::milliseconds{0}, kBeat);
  const bool writing = takes_input_ && unread() > 0;
  std::array<pollfd, 3> events = {pollfd{from_.get(), POLLIN, 0},
                                  pollfd{process_.pidfd(), POLLIN, 0},
                                  pollfd{writing ? to_.get() : -1, POLLOUT, 0}};
  ::poll(events.data(), events.size(), static_cast<int>(patience.count()));
  const bool only_room =
      events[0].revents == 0 && events[1].revents == 0 && (events[2].revents & POLLOUT) != 0;
  if (!only_room || !pending_.empty() || unread() == 0) return;
  patience = std::min(patience, kShortLook);
  ::poll(events.data(), 2, static_cast<int>(patience.count()));
}

std::optional<ipc::ExitReport> ServerProcess::reap() {
  pollfd death{process_.pidfd(), POLLIN, 0};
  ::poll(&death, 1, static_cast<int>(kTimeToEnd.count()));
  return process_.reap();
}

}  // namespace nightshift::evaluator
