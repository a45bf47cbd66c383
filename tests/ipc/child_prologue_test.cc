#include "ipc/child_prologue.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <string>

#include "ipc/child_process.h"
#include "ipc/orphans.h"
#include "roles.h"

namespace nightshift::ipc {
namespace {

using testing::HasSubstr;

// A program with the prologue, run to its end.
struct Launched {
  ExitReport report;
  std::string out, err;
};

Launched launch(const ChildLimits& limits, const std::vector<std::string>& program,
                const std::vector<std::pair<std::string, std::string>>& environment = {}) {
  SpawnOptions options;
  options.program = program.at(0);
  options.arguments.assign(program.begin() + 1, program.end());
  options.environment = environment;
  options.limits = limits;
  auto child = ChildProcess::spawn(options);
  pollfd death{child.pidfd(), POLLIN, 0};
  EXPECT_EQ(::poll(&death, 1, 60'000), 1);
  const auto report = child.reap().value();
  return {report, child.standard_output(), child.standard_error()};
}

std::string shell(const ChildLimits& limits, const std::string& command) {
  const Launched run = launch(limits, {"/bin/sh", "-c", command});
  EXPECT_EQ(describe(run.report), "exit code 0") << run.err;
  return run.out;
}

int first_core_of_ours() {
  cpu_set_t set;
  EXPECT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) return core;
  }
  return -1;
}

TEST(Launch, GivesTheProgramItsArguments) {
  EXPECT_EQ(launch({}, {"/bin/echo", "a b", "", "--", "c"}).out, "a b  -- c\n");
}

TEST(Launch, FindsTheProgramInThePathThatItIsGiven) {
  EXPECT_EQ(launch({}, {"echo", "x"}).out, "x\n");
  EXPECT_EQ(launch({}, {"echo", "x"}, {{"PATH", "/nonexistent::/usr/bin"}}).out, "x\n");
  EXPECT_THROW((void)launch({}, {"echo", "x"}, {{"PATH", "/nonexistent"}}), std::system_error);
}

TEST(Launch, SaysWhyAProgramCannotStart) {
  const auto complaint = [](const std::string& program) -> std::string {
    try {
      (void)launch({}, {program});
      return "";
    } catch (const std::system_error& e) {
      return e.what();
    }
  };
  EXPECT_EQ(complaint("/nonexistent/program"),
            "cannot start '/nonexistent/program': No such file or directory");
  EXPECT_EQ(complaint("/etc/passwd"), "cannot start '/etc/passwd': Permission denied");
  EXPECT_EQ(complaint("/bin"), "cannot start '/bin': Permission denied");
}

// Nothing of the program's but its own: signals that we block or ignore are as for any other.
TEST(Launch, LeavesNoSignalBlockedOrIgnored) {
  sigset_t held, before;
  ::sigemptyset(&held);
  ::sigaddset(&held, SIGTERM);
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &held, &before), 0);
  const auto handler = ::signal(SIGPIPE, SIG_IGN);
  const std::string status = launch({}, {"grep", "Sig[BI]", "/proc/self/status"}).out;
  ::signal(SIGPIPE, handler);
  EXPECT_EQ(::pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
  EXPECT_EQ(status, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST(ChildPrologue, LeavesAtOnceWhenTheParentIsAnother) {
  SpawnOptions options;
  options.program = roles::program();
  options.arguments = {"--orphaned-prologue"};
  auto child = ChildProcess::spawn(options);
  pollfd death{child.pidfd(), POLLIN, 0};
  EXPECT_EQ(::poll(&death, 1, 60'000), 1);
  EXPECT_EQ(describe(child.reap().value()), "exit code 1");
}

TEST(ChildPrologue, ForbidsCoreDumps) {
  EXPECT_THAT(shell({}, "grep 'core file' /proc/self/limits"), HasSubstr(" 0 "));
}

TEST(ChildPrologue, VolunteersForTheOomKiller) {
  EXPECT_EQ(shell({}, "cat /proc/self/oom_score_adj"), "800\n");
}

TEST(ChildPrologue, LimitsWhatItWrites) {
  ChildLimits limits;
  limits.file = 4096;
  limits.data = std::uint64_t{1} << 30;
  EXPECT_EQ(shell(limits, "ulimit -d; ulimit -f"), "1048576\n8\n") << "in KiB and in half of them";
}

TEST(ChildPrologue, PinsToTheCores) {
  const int core = first_core_of_ours();
  ChildLimits limits;
  limits.cores = {core};
  EXPECT_EQ(shell(limits, "grep Cpus_allowed_list /proc/self/status"),
            "Cpus_allowed_list:\t" + std::to_string(core) + "\n");
}

TEST(ChildPrologue, SaysWhenItCannotPin) {
  ChildLimits limits;
  limits.cores = {100'000};
  EXPECT_THAT([&] { (void)launch(limits, {"/bin/true"}); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr("pinning to cores")));
}

TEST(ChildPrologue, TakesIdlePriority) {
  ChildLimits limits;
  limits.idle_priority = true;
  EXPECT_EQ(shell(limits, "cut -d' ' -f41 /proc/$$/stat"), std::to_string(SCHED_IDLE) + "\n");
  EXPECT_EQ(shell({}, "cut -d' ' -f41 /proc/$$/stat"), std::to_string(SCHED_OTHER) + "\n");
}

TEST(ChildPrologue, LimitsTheAddressSpace) {
  ChildLimits limits;
  limits.address_space = std::uint64_t{1} << 30;
  EXPECT_THAT(shell(limits, "grep 'address space' /proc/self/limits"),
              HasSubstr(" 1073741824           1073741824 "));
}

TEST(ChildPrologue, EndsAProgramThatUsesTooMuchProcessorTime) {
  ChildLimits limits;
  limits.cpu_seconds = 1;
  const Launched run = launch(limits, {"/bin/sh", "-c", "while :; do :; done"});
  EXPECT_EQ(std::get<Killed>(run.report).signal, SIGXCPU);
}

TEST(ChildPrologue, StaysReadableInProc) {
  EXPECT_NE(shell({}, "wc -c < /proc/$$/environ"), "0\n");
}

// The child of a killed parent is gone, although nobody told it.
TEST(ChildPrologue, DiesWithItsParent) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  SpawnOptions options;
  options.program = roles::program();
  options.arguments = {"--parent-of-launched", "echo; exec sleep 1000"};
  options.standard_output = write_end.get();
  auto parent = ChildProcess::spawn(options);
  write_end.reset();

  // Both have written their line: the launched program runs.
  std::string text;
  while (std::count(text.begin(), text.end(), '\n') < 2) {
    char c = 0;
    ASSERT_EQ(::read(read_end.get(), &c, 1), 1);
    text += c;
  }
  ASSERT_EQ(::kill(parent.pid(), SIGKILL), 0);
  // The end of the file says that both are gone.
  pollfd gone{read_end.get(), POLLIN, 0};
  ASSERT_EQ(::poll(&gone, 1, 60'000), 1);
  char c = 0;
  EXPECT_EQ(::read(read_end.get(), &c, 1), 0);
}

}  // namespace
}  // namespace nightshift::ipc
