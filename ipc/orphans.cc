#include "ipc/orphans.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "ipc/process_table.h"
#include "ipc/system_call.h"
#include "ipc/unique_fd.h"

namespace nightshift::ipc {

namespace {

using Clock = std::chrono::steady_clock;

// A process inside a device driver may not die for long; it is left to a later sweep.
constexpr std::chrono::milliseconds kSweepPatience{1000};
constexpr std::chrono::milliseconds kKillPatience{10000};

bool is_subreaper() {
  int is_one = 0;
  return ::prctl(PR_GET_CHILD_SUBREAPER, &is_one) == 0 && is_one != 0;
}

UniqueFd open_process(pid_t pid) {
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

void wait_for_death(const UniqueFd& process, Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  pollfd death{process.get(), POLLIN, 0};
  (void)retry_interrupted([&] { return ::poll(&death, 1, static_cast<int>(std::max(left, 0L))); });
}

bool carries(pid_t pid, std::string_view entry) {
  const std::string environment = environment_of(pid);
  std::string_view rest(environment);
  while (!rest.empty()) {
    const auto end = rest.find('\0');
    if (rest.substr(0, end) == entry) return true;
    if (end == std::string_view::npos) return false;
    rest.remove_prefix(end + 1);
  }
  return false;
}

// One pass over all processes. The handle is taken before the environment is read, so that it is of
// the process that was looked at.
std::vector<std::pair<pid_t, UniqueFd>> find_marked(std::string_view entry) {
  std::vector<std::pair<pid_t, UniqueFd>> marked;
  for (const pid_t pid : all_processes()) {
    if (pid == ::getpid()) continue;
    UniqueFd process = open_process(pid);
    if (process && carries(pid, entry)) marked.emplace_back(pid, std::move(process));
  }
  return marked;
}

}  // namespace

void become_subreaper() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) throw_errno("prctl(PR_SET_CHILD_SUBREAPER)");
}

std::vector<pid_t> orphans(const std::set<pid_t>& known) {
  const pid_t self = ::getpid();
  std::vector<pid_t> found;
  if (!is_subreaper()) return found;
  for (const pid_t pid : all_processes()) {
    if (!known.contains(pid) && parent_of(pid) == self) found.push_back(pid);
  }
  return found;
}

// In rounds, because the children of what is killed become ours in turn.
std::size_t sweep_orphans(const std::set<pid_t>& known) {
  std::set<pid_t> left_alone = known;
  std::size_t found = 0;
  const auto deadline = Clock::now() + kSweepPatience;
  while (true) {
    const std::vector<pid_t> left = orphans(left_alone);
    if (left.empty()) return found;
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    for (const pid_t pid : left) {
      if (const UniqueFd process = open_process(pid)) wait_for_death(process, deadline);
      if (::waitpid(pid, nullptr, WNOHANG) == 0) left_alone.insert(pid);
      ++found;
    }
  }
}

std::string fresh_run_mark() {
  constexpr char kDigits[] = "0123456789abcdef";
  std::array<unsigned char, 16> random{};
  fill_random(random.data(), random.size());
  std::string mark;
  for (const unsigned char byte : random) {
    mark += kDigits[byte >> 4];
    mark += kDigits[byte & 15];
  }
  return mark;
}

bool is_marked(pid_t pid, const std::string& mark) {
  return carries(pid, std::string(kRunMark) + "=" + mark);
}

bool any_marked(const std::string& mark) {
  return !find_marked(std::string(kRunMark) + "=" + mark).empty();
}

// A process in the middle of an exec shows no environment for an instant, so one empty pass
// proves nothing.
std::size_t kill_marked(const std::string& mark) {
  constexpr int kEmptyPasses = 3;
  constexpr std::chrono::milliseconds kBetweenPasses{2};
  if (mark.empty()) return 0;
  const std::string entry = std::string(kRunMark) + "=" + mark;
  std::set<pid_t> found;
  const auto deadline = Clock::now() + kKillPatience;
  for (int empty_passes = 0; empty_passes < kEmptyPasses && Clock::now() < deadline;) {
    const auto marked = find_marked(entry);
    for (const auto& [pid, process] : marked) {
      ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
      found.insert(pid);
    }
    for (const auto& [pid, process] : marked) wait_for_death(process, deadline);
    empty_passes = marked.empty() ? empty_passes + 1 : 0;
    if (marked.empty()) std::this_thread::sleep_for(kBetweenPasses);
  }
  return found.size();
}

}  // namespace nightshift::ipc
