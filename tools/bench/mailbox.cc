// How long an empty record takes from the parent to a child process and back through the mailbox
// (both sides block: futex down, eventfd and epoll up), beside a pair of pipes and beside a process
// per trial, in one run.
//
//   bench-mailbox [ROUNDS]          default 20000
#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "ipc/child_process.h"
#include "ipc/child_prologue.h"
#include "ipc/mailbox.h"
#include "ipc/messages.h"
#include "ipc/orphans.h"
#include "ipc/poller.h"
#include "ipc/process_table.h"

namespace {

using namespace nightshift;
using Clock = std::chrono::steady_clock;

// Where the two sides run; -1 is anywhere.
struct Placement {
  const char* name;
  int parent;
  int child;
};

void pin(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  const auto cores = static_cast<std::size_t>(::sysconf(_SC_NPROCESSORS_ONLN));
  for (std::size_t c = 0; c < cores; ++c) {
    if (core < 0 || c == static_cast<std::size_t>(core)) CPU_SET(c, &set);
  }
  if (::sched_setaffinity(0, sizeof set, &set) != 0) {
    fmt::print(stderr, "cannot pin to core {}\n", core);
  }
}

// One line of the table: what each of `rounds` calls took. Returns the median in microseconds.
double measure(const std::string& what, int rounds, const std::function<void()>& round) {
  for (int i = 0; i < rounds / 10 + 1; ++i) round();
  std::vector<double> us;
  us.reserve(static_cast<std::size_t>(rounds));
  for (int i = 0; i < rounds; ++i) {
    const auto start = Clock::now();
    round();
    us.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  std::sort(us.begin(), us.end());
  const auto quantile = [&](double q) {
    return us[static_cast<std::size_t>(q * static_cast<double>(us.size() - 1))];
  };
  fmt::print("{:<44} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f} {:>12.0f}\n", what, quantile(0.1),
             quantile(0.5), quantile(0.9), quantile(0.99), 1e6 / quantile(0.5));
  return quantile(0.5);
}

ipc::SpawnOptions child_options(const std::string& role, int core) {
  ipc::SpawnOptions options;
  options.program = "/proc/self/exe";
  options.arguments = {role, std::to_string(::getpid()), std::to_string(core)};
  return options;
}

double mailbox(const Placement& where, int rounds) {
  auto box = ipc::ParentMailbox::create(1);
  auto options = child_options("--mailbox-child", where.child);
  options.descriptors = {{box.request_fd(), 3}, {box.response_fd(), 4}, {box.doorbell_fd(), 5}};
  const auto child = ipc::ChildProcess::spawn(options);
  ipc::Poller poller;
  poller.add(box.doorbell_fd(), 1);
  poller.add(child.pidfd(), 2);
  pin(where.parent);
  std::uint64_t trial = 0;
  return measure(fmt::format("mailbox, {}", where.name), rounds, [&] {
    if (!box.post(3, ++trial, 0, {})) std::abort();
    while (true) {
      (void)poller.wait(std::nullopt);
      const auto taken = box.take();
      if (std::holds_alternative<ipc::Record>(taken)) return;
      if (child.dead() || std::holds_alternative<ipc::ParentMailbox::Corrupt>(taken)) std::abort();
    }
  });
}

int mailbox_child(int core) {
  auto box = ipc::ChildMailbox::open(ipc::UniqueFd(3), ipc::UniqueFd(4), ipc::UniqueFd(5), 1);
  pin(core);
  while (true) {
    const auto request = box.wait(std::chrono::seconds{1});
    if (request && !box.reply(19, {})) return 1;
  }
}

double pipes(const Placement& where, int rounds) {
  int down[2], up[2];
  if (::pipe2(down, O_CLOEXEC) != 0 || ::pipe2(up, O_CLOEXEC) != 0) std::abort();
  const ipc::UniqueFd down_read(down[0]), down_write(down[1]), up_read(up[0]), up_write(up[1]);
  auto options = child_options("--pipe-child", where.child);
  options.descriptors = {{down_read.get(), 3}, {up_write.get(), 4}};
  const auto child = ipc::ChildProcess::spawn(options);
  pin(where.parent);
  std::vector<char> record(sizeof(ipc::RecordHeader));
  return measure(fmt::format("pair of pipes, {}", where.name), rounds, [&] {
    if (::write(down_write.get(), record.data(), record.size()) < 0) std::abort();
    if (::read(up_read.get(), record.data(), record.size()) <= 0) std::abort();
  });
}

int pipe_child(int core) {
  pin(core);
  std::vector<char> record(sizeof(ipc::RecordHeader));
  while (true) {
    if (::read(3, record.data(), record.size()) <= 0) return 0;
    if (::write(4, record.data(), record.size()) < 0) return 1;
  }
}

double spawn_per_trial(int rounds) {
  pin(-1);
  ipc::SpawnOptions options;
  options.program = "/bin/true";
  return measure("process per trial, ChildProcess (posix_spawn)", rounds, [&] {
    auto child = ipc::ChildProcess::spawn(options);
    ipc::Poller poller;
    poller.add(child.pidfd(), 1);
    (void)poller.wait(std::nullopt);
    if (!child.reap()) std::abort();
  });
}

double fork_per_trial(int rounds) {
  pin(-1);
  return measure("process per trial, fork + exec", rounds, [] {
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::execl("/bin/true", "true", nullptr);
      ::_exit(127);
    }
    int status = 0;
    if (pid < 0 || ::waitpid(pid, &status, 0) != pid || status != 0) std::abort();
  });
}

// What one of many calls takes on average, in microseconds.
void report_mean(const std::string& what, int calls, const std::function<void()>& call) {
  for (int i = 0; i < calls / 10 + 1; ++i) call();
  const auto start = Clock::now();
  for (int i = 0; i < calls; ++i) call();
  const double us = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  fmt::print("{:<54} {:>9.2f} us\n", what, us / calls);
}

void other_steps(int rounds) {
  ipc::EvaluateRequest request;
  for (int i = 0; i < 8; ++i)
    request.configuration.set(fmt::format("parameter_{}", i), std::int64_t{i});
  request.artifact = "/var/tmp/study/artifacts/0123456789abcdef0123456789abcdef.so";
  ipc::EvaluatedReply reply{{search::Measured{{{{"time", std::vector<double>(20, 1.5)}}, {}}}, {}}};
  const auto request_bytes = encode(request);
  const auto reply_bytes = encode(reply);
  std::size_t bytes = 0;  // printed, so that nothing is optimised away
  report_mean("encode an EvaluateRequest of 8 parameters", rounds,
              [&] { bytes += encode(request).size(); });
  report_mean("decode it", rounds, [&] {
    bytes += ipc::decode<ipc::EvaluateRequest>(request_bytes).configuration.entries().size();
  });
  report_mean("encode an EvaluatedReply of 20 samples", rounds,
              [&] { bytes += encode(reply).size(); });
  report_mean("decode it", rounds, [&] {
    bytes += ipc::decode<ipc::EvaluatedReply>(reply_bytes).report.outcome.index();
  });
  ipc::become_subreaper();
  const auto processes = static_cast<int>(ipc::all_processes().size());
  report_mean(fmt::format("sweep_orphans among {} processes", processes),
              std::max(10, rounds / 100), [&] { bytes += ipc::sweep_orphans({}); });
  fmt::print("({} bytes)\n", bytes);
}

int play_child(const std::string& role, pid_t parent, int core) {
  const bool is_mailbox = role == "--mailbox-child";
  const std::string error = ipc::child_prologue(parent, is_mailbox ? 6 : 5, {});
  if (!error.empty()) return 1;
  return is_mailbox ? mailbox_child(core) : pipe_child(core);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "20000";
  if (argc == 4) return play_child(first, std::atoi(argv[2]), std::atoi(argv[3]));

  const int rounds = std::max(10, std::atoi(first.c_str()));
  fmt::print("{:<44} {:>9} {:>9} {:>9} {:>9} {:>12}\n", "round trip in us", "p10", "median", "p90",
             "p99", "1/median /s");
  std::vector<Placement> places = {{"anywhere", -1, -1}, {"on one core", 0, 0}};
  if (::sysconf(_SC_NPROCESSORS_ONLN) > 1) places.push_back({"on two cores", 0, 1});
  double ours = 0, theirs = 0;
  for (const Placement& where : places) {
    ours = mailbox(where, rounds);
    theirs = pipes(where, rounds);
  }
  const int starts = std::max(10, rounds / 40);
  const double spawned = spawn_per_trial(starts);
  const double forked = fork_per_trial(starts);
  fmt::print(
      "{}: mailbox / pair of pipes {:.2f}, process per trial / mailbox {:.0f} (posix_spawn), "
      "{:.0f} (fork)\n",
      places.back().name, ours / theirs, spawned / ours, forked / ours);
  other_steps(rounds);
  return 0;
}
