#include "evaluator/command/left_running.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ipc/orphans.h"
#include "ipc/process_table.h"
#include "ipc/unique_fd.h"

namespace nightshift::evaluator {
namespace {

using namespace std::chrono_literals;

constexpr double kMoment = 0.5;    // seconds on a core or asleep
constexpr double kLongest = 10.0;  // seconds, however busy the machine is
constexpr auto kStep = 50ms;

struct Process {
  std::string name;
  ipc::UniqueFd handle;
  double waited = 0;  // for a core, in seconds, with what it started
};
using Processes = std::map<pid_t, Process>;

// Those that live; what has ended is reaped, which shows in the next look whether it left others.
Processes living(const std::vector<pid_t>& orphans) {
  Processes found;
  for (const pid_t pid : orphans) {
    Process one{ipc::living_name_of(pid), {}, 0};
    if (one.name.empty()) {
      ::waitpid(pid, nullptr, WNOHANG);
      continue;
    }
    one.handle = ipc::UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (const auto times = ipc::core_times_of_tree(pid)) one.waited = times->waited;
    found.emplace(pid, std::move(one));
  }
  return found;
}

// Whether all of them do before `until`.
bool end_before(const Processes& processes, Clock::time_point until) {
  return std::ranges::all_of(processes, [&](const auto& entry) {
    pollfd end{entry.second.handle.get(), POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    return end.fd >= 0 && ::poll(&end, 1, static_cast<int>(std::max(left, 0ms).count())) == 1;
  });
}

// Seconds for which they waited for a core since they were looked at.
double waited_since(const Processes& before) {
  double waited = 0;
  for (const auto& [pid, process] : before) {
    const auto times = ipc::core_times_of_tree(pid);
    if (times) waited += std::max(times->waited - process.waited, 0.0);
  }
  return waited;
}

search::ProcessNames names_of(const Processes& processes) {
  search::ProcessNames names;
  for (const auto& [pid, process] : processes) names.insert(process.name);
  return names;
}

}  // namespace

LeftRunning await_rest(pid_t program, Clock::time_point ended, Clock::time_point deadline,
                       const search::ProcessNames& known) {
  LeftRunning left{false, {}, ended};
  deadline = std::min(deadline, after(ended, kLongest));
  double moment = 0;
  while (true) {
    const std::vector<pid_t> orphans = ipc::orphans({program});
    if (orphans.empty()) return left;
    left.any = true;
    const Processes rest = living(orphans);
    if (rest.empty()) continue;
    const Clock::time_point looked = Clock::now();
    const search::ProcessNames names = names_of(rest);
    if (search::beyond(names, known).empty() || moment >= kMoment || looked >= deadline) {
      return {true, names, ended};
    }
    if (end_before(rest, std::min(deadline, looked + kStep))) {
      left.end = Clock::now();
      continue;
    }
    const double step = seconds_since(looked);
    moment += step - std::min(step, waited_since(rest));
  }
}

}  // namespace nightshift::evaluator
