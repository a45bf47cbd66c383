#include "ipc/child_process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <set>
#include <sstream>
#include <system_error>

#include "ipc/shared_region.h"
#include "roles.h"

namespace nightshift::ipc {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

ExitReport wait_for(ChildProcess& child) {
  pollfd death{child.pidfd(), POLLIN, 0};
  EXPECT_EQ(::poll(&death, 1, 60'000), 1) << "the child did not end";
  return child.reap().value();
}

// Runs a shell command to its end and returns what it printed.
std::string output_of(const SpawnOptions& options) {
  ChildProcess child = ChildProcess::spawn(options);
  (void)wait_for(child);
  return child.standard_output();
}

std::set<std::string> descriptors_of(pid_t pid) {
  std::set<std::string> numbers;
  const std::filesystem::path folder = "/proc/" + std::to_string(pid) + "/fd";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    numbers.insert(entry.path().filename());
  }
  return numbers;
}

std::size_t open_descriptors() { return descriptors_of(::getpid()).size(); }

bool exists(pid_t pid) { return ::kill(pid, 0) == 0; }

// A pipe whose write end the child's whole family inherits as standard output: it reads as ended
// when the last of them is gone.
class Family {
 public:
  Family() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    read_.reset(ends[0]);
    write_.reset(ends[1]);
  }
  ChildProcess spawn(const std::string& command) { return spawn(roles::shell(command)); }
  ChildProcess spawn(SpawnOptions options) {
    options.standard_output = write_.get();
    auto child = ChildProcess::spawn(options);
    write_.reset();
    return child;
  }
  std::string line() {
    std::string text;
    for (char c = 0; ::read(read_.get(), &c, 1) == 1 && c != '\n';) text += c;
    return text;
  }
  bool gone() {
    pollfd p{read_.get(), POLLIN, 0};
    char c = 0;
    return ::poll(&p, 1, 60'000) == 1 && ::read(read_.get(), &c, 1) == 0;
  }

 private:
  UniqueFd read_, write_;
};

// --- How it ends ---

TEST(ChildProcess, ReportsTheExitCode) {
  for (const int code : {0, 1, 3, 255}) {
    auto child = ChildProcess::spawn(roles::shell("exit " + std::to_string(code)));
    EXPECT_EQ(std::get<Exited>(wait_for(child)).code, code);
  }
}

TEST(ChildProcess, ReportsTheSignalApartFromAnyExitCode) {
  for (const int signal : {SIGKILL, SIGSEGV, SIGABRT, SIGTERM}) {
    auto child = ChildProcess::spawn(roles::shell("kill -" + std::to_string(signal) + " $$"));
    EXPECT_EQ(std::get<Killed>(wait_for(child)).signal, signal);
  }
}

TEST(ChildProcess, DescribesHowItEnded) {
  EXPECT_EQ(describe(Exited{3}), "exit code 3");
  EXPECT_EQ(describe(Killed{SIGSEGV}), "killed by SIGSEGV (11)");
}

TEST(ChildProcess, IsReapedOnceAndRemembersTheReport) {
  auto child = ChildProcess::spawn(roles::shell("exit 7"));
  const pid_t pid = child.pid();
  (void)wait_for(child);
  EXPECT_FALSE(exists(pid));
  EXPECT_EQ(std::get<Exited>(child.reap().value()).code, 7);
  EXPECT_EQ(std::get<Exited>(child.destroy(0ms).value()).code, 7);
  child.kill_group();  // must not reach whoever has the number now
  child.signal(SIGTERM);
}

TEST(ChildProcess, HasNoReportWhileItLives) {
  auto child = ChildProcess::spawn(roles::shell("sleep 1000"));
  EXPECT_FALSE(child.dead());
  EXPECT_FALSE(child.reap());
  child.kill_group();
  EXPECT_EQ(std::get<Killed>(wait_for(child)).signal, SIGKILL);
}

TEST(ChildProcess, StaysAZombieUntilItIsReaped) {
  auto child = ChildProcess::spawn(roles::shell("exit 0"));
  pollfd death{child.pidfd(), POLLIN, 0};
  ASSERT_EQ(::poll(&death, 1, 60'000), 1);
  EXPECT_TRUE(child.dead());
  EXPECT_TRUE(exists(child.pid()));
  EXPECT_TRUE(child.reap());
  EXPECT_FALSE(exists(child.pid()));
}

TEST(ChildProcess, KnowsItsPeakMemoryOnceItIsReaped) {
  SpawnOptions options = roles::shell("exit 0");
  options.own_memory = true;
  ChildProcess child = ChildProcess::spawn(options);
  EXPECT_EQ(child.peak_memory(), 0U);
  (void)wait_for(child);
  EXPECT_GT(child.peak_memory(), 4096U);
  const ChildProcess moved = std::move(child);
  EXPECT_GT(moved.peak_memory(), 4096U);
}

TEST(ChildProcess, WithItsOwnMemoryStartsAndFailsAsOthers) {
  SpawnOptions options = roles::shell("echo $$; echo error >&2; exit 3");
  options.own_memory = true;
  EXPECT_NE(output_of(options), "");
  options.program = "/no/such/program";
  EXPECT_THROW(ChildProcess::spawn(options), std::system_error);
}

TEST(ChildProcess, CanBeMoved) {
  auto one = ChildProcess::spawn(roles::shell("sleep 1000"));
  const pid_t pid = one.pid();
  ChildProcess two = std::move(one);
  EXPECT_FALSE(one);
  EXPECT_EQ(two.pid(), pid);
  two = ChildProcess::spawn(roles::shell("exit 4"));
  EXPECT_FALSE(exists(pid));
  EXPECT_EQ(std::get<Exited>(wait_for(two)).code, 4);
}

TEST(ChildProcess, IsKilledByItsDestructor) {
  pid_t pid = 0;
  {
    const auto child = ChildProcess::spawn(roles::shell("trap '' TERM INT HUP; sleep 1000"));
    pid = child.pid();
  }
  EXPECT_FALSE(exists(pid));
}

TEST(ChildProcess, TakesAStoppedChildDownToo) {
  auto child = ChildProcess::spawn(roles::shell("kill -STOP $$"));
  EXPECT_EQ(std::get<Killed>(child.destroy(60s).value()).signal, SIGKILL);
}

TEST(ChildProcess, ThrowsWhenTheProgramDoesNotExist) {
  SpawnOptions options;
  options.program = "/nonexistent/program";
  try {
    (void)ChildProcess::spawn(options);
    FAIL() << "started nothing";
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code().value(), ENOENT);
    EXPECT_THAT(e.what(), HasSubstr("/nonexistent/program"));
  }
}

// --- Its group ---

TEST(ChildProcess, IsKilledWithItsGrandchildren) {
  Family family;
  auto child = family.spawn("sleep 1000 & sleep 1000 & echo started; wait");
  EXPECT_EQ(family.line(), "started");
  child.kill_group();
  (void)wait_for(child);
  EXPECT_TRUE(family.gone());
}

TEST(ChildProcess, ReapingKillsGrandchildrenThatOutlivedTheLeader) {
  Family family;
  auto child = family.spawn("sleep 1000 & echo started");
  EXPECT_EQ(family.line(), "started");
  EXPECT_EQ(std::get<Exited>(wait_for(child)).code, 0);
  EXPECT_TRUE(family.gone());
}

TEST(ChildProcess, PassesASignalToTheWholeGroup) {
  Family family;
  auto child = family.spawn("sleep 1000 & echo started; wait");
  EXPECT_EQ(family.line(), "started");
  child.signal(SIGTERM);
  EXPECT_EQ(std::get<Killed>(wait_for(child)).signal, SIGTERM);
  EXPECT_TRUE(family.gone());
}

TEST(ChildProcess, LeadsAGroupOrASession) {
  SpawnOptions options = roles::shell("cut -d' ' -f5,6 /proc/$$/stat; echo $$");
  std::istringstream group(output_of(options));
  pid_t pgid = 0, session = 0, pid = 0;
  group >> pgid >> session >> pid;
  EXPECT_EQ(pgid, pid);
  EXPECT_EQ(session, ::getsid(0));

  options.new_session = true;
  std::istringstream alone(output_of(options));
  alone >> pgid >> session >> pid;
  EXPECT_EQ(pgid, pid);
  EXPECT_EQ(session, pid);
}

// --- What it is given ---

TEST(ChildProcess, FindsAProgramInThePath) {
  SpawnOptions options;
  options.program = "echo";
  options.arguments = {"a b", "", "c"};
  EXPECT_EQ(output_of(options), "a b  c\n");
}

TEST(ChildProcess, AddsToTheEnvironmentAndReplacesEqualNames) {
  ASSERT_EQ(::setenv("IPC_TEST_OURS", "ours", 1), 0);
  ASSERT_EQ(::setenv("IPC_TEST_BOTH", "ours", 1), 0);
  SpawnOptions options = roles::shell("env | grep IPC_TEST | sort");
  options.environment = {{"IPC_TEST_BOTH", "theirs"}, {"IPC_TEST_NEW", "a=b"}};
  EXPECT_EQ(output_of(options), "IPC_TEST_BOTH=theirs\nIPC_TEST_NEW=a=b\nIPC_TEST_OURS=ours\n");
}

TEST(ChildProcess, StartsInTheDirectory) {
  SpawnOptions options = roles::shell("pwd");
  options.directory = "/proc";
  EXPECT_EQ(output_of(options), "/proc\n");
}

TEST(ChildProcess, HasAnEmptyInputUnlessItIsGivenOne) {
  EXPECT_EQ(output_of(roles::shell("cat; readlink /proc/self/fd/0")), "/dev/null\n");
  const UniqueFd input = make_memory_file("input", 5);
  ASSERT_EQ(::pwrite(input.get(), "hello", 5, 0), 5);
  SpawnOptions options = roles::shell("cat");
  options.standard_input = input.get();
  EXPECT_EQ(output_of(options), "hello");
}

TEST(ChildProcess, InheritsOnlyTheDescriptorsItIsGiven) {
  const UniqueFd leaky(::open("/dev/null", O_RDONLY));  // not close-on-exec
  const UniqueFd high(::fcntl(leaky.get(), F_DUPFD, 200));
  using Numbers = std::vector<std::pair<int, int>>;
  for (const Numbers& given : {Numbers{}, Numbers{{leaky.get(), 5}}}) {
    Family family;
    SpawnOptions options = roles::shell("echo; kill -STOP $$");
    options.descriptors = given;
    const auto child = family.spawn(options);
    (void)family.line();
    std::set<std::string> expected{"0", "1", "2"};
    for (const auto& [ours, theirs] : given) expected.insert(std::to_string(theirs));
    EXPECT_EQ(descriptors_of(child.pid()), expected);
  }
}

TEST(ChildProcess, MapsDescriptorsThatAreEachOthersTargets) {
  const UniqueFd zero(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  const UniqueFd full(::open("/dev/full", O_RDONLY | O_CLOEXEC));
  SpawnOptions options;
  options.program = "/bin/sh";
  options.descriptors = {{zero.get(), full.get()}, {full.get(), zero.get()}};
  options.arguments = {"-c", "readlink /proc/self/fd/$1; readlink /proc/self/fd/$2", "sh",
                       std::to_string(full.get()), std::to_string(zero.get())};
  EXPECT_EQ(output_of(options), "/dev/zero\n/dev/full\n");
}

TEST(ChildProcess, HasNoSignalBlockedOrIgnored) {
  sigset_t all, before;
  ::sigfillset(&all);
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &all, &before), 0);
  const auto old = ::signal(SIGTERM, SIG_IGN);
  std::istringstream status(output_of(roles::shell("grep -E '^Sig(Blk|Ign)' /proc/self/status")));
  ::signal(SIGTERM, old);
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
  constexpr std::uint64_t kPublic = 0x7fffffff;  // 32 and 33 are the C library's own
  std::string name;
  int lines = 0;
  for (std::uint64_t mask = 0; status >> name >> std::hex >> mask; ++lines) {
    EXPECT_EQ(mask & kPublic, 0u) << name;
  }
  EXPECT_EQ(lines, 2);
}

TEST(ChildProcess, LeavesNoDescriptorBehindAfterAThousandChildren) {
  const std::size_t before = open_descriptors();
  SpawnOptions options;
  options.program = "/bin/true";
  for (int i = 0; i < 1000; ++i) {
    auto child = ChildProcess::spawn(options);
    if (i % 2 == 0) (void)wait_for(child);
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST(ChildProcess, LeavesNoDescriptorBehindWhenItCannotStart) {
  const std::size_t before = open_descriptors();
  SpawnOptions options;
  options.program = "/nonexistent/program";
  EXPECT_THROW((void)ChildProcess::spawn(options), std::system_error);
  options.program = "/bin/true";
  options.descriptors = {{12345, 3}};
  EXPECT_THROW((void)ChildProcess::spawn(options), std::system_error);
  EXPECT_EQ(open_descriptors(), before);
}

// --- What it prints ---

TEST(ChildProcess, KeepsOutputAndErrorApart) {
  auto child = ChildProcess::spawn(roles::shell("echo one; echo two >&2; echo three"));
  (void)wait_for(child);
  EXPECT_EQ(child.standard_output(), "one\nthree\n");
  EXPECT_EQ(child.standard_error(), "two\n");
  EXPECT_FALSE(child.output_was_cut());
}

TEST(ChildProcess, KeepsTheHeadOfAFlood) {
  SpawnOptions options =
      roles::shell("while echo 0123456789012345678; do :; done 2>/dev/null; exit 6");
  options.output_bytes = 10'000;
  auto child = ChildProcess::spawn(options);
  EXPECT_EQ(std::get<Exited>(wait_for(child)).code, 6);
  EXPECT_EQ(child.standard_output().size(), 10'000u);
  EXPECT_THAT(child.standard_output(), StartsWith("0123456789012345678\n0123456789012345678\n"));
  EXPECT_TRUE(child.output_was_cut());
}

TEST(ChildProcess, KnowsWhetherOutputOfExactlyTheLimitWasCut) {
  for (const std::size_t limit : {1000u, 4096u, 65536u}) {
    SpawnOptions options = roles::shell("head -c " + std::to_string(limit) + " /dev/zero");
    options.output_bytes = limit;
    auto child = ChildProcess::spawn(options);
    (void)wait_for(child);
    EXPECT_EQ(child.standard_output().size(), limit);
    EXPECT_FALSE(child.output_was_cut());

    options = roles::shell("head -c " + std::to_string(limit + 1) + " /dev/zero");
    options.output_bytes = limit;
    auto talkative = ChildProcess::spawn(options);
    (void)wait_for(talkative);
    EXPECT_EQ(talkative.standard_output().size(), limit);
    EXPECT_TRUE(talkative.output_was_cut());
  }
}

TEST(ChildProcess, CannotOpenItsCapturedOutputAnew) {
  auto child = ChildProcess::spawn(
      roles::shell("( echo lost > /dev/stderr ) || echo refused; echo kept >&2"));
  EXPECT_EQ(std::get<Exited>(wait_for(child)).code, 0);
  EXPECT_EQ(child.standard_output(), "refused\n");
  EXPECT_THAT(child.standard_error(), EndsWith("kept\n"));
}

// It appends to whatever it prints to.
TEST(ChildProcess, OutputThatGrowsIsGoodEnoughForMake) {
  if (std::system("make --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no make";
  SpawnOptions options = roles::shell("printf 'all:\\n\\techo made\\n' | make -f -");
  options.output_grows = true;
  auto child = ChildProcess::spawn(options);
  EXPECT_EQ(std::get<Exited>(wait_for(child)).code, 0) << child.standard_error();
  EXPECT_EQ(child.standard_output(), "echo made\nmade\n");
}

TEST(ChildProcess, OutputThatGrowsKeepsItsHeadOnceItIsBounded) {
  SpawnOptions options =
      roles::shell("while echo 0123456789012345678; do :; done 2>/dev/null; exit 6");
  options.output_bytes = 10'000;
  options.output_grows = true;
  auto child = ChildProcess::spawn(options);
  while (!child.dead()) {
    child.bound_output();
    ::sched_yield();
  }
  EXPECT_EQ(std::get<Exited>(wait_for(child)).code, 6);
  EXPECT_EQ(child.standard_output().size(), 10'000u);
  EXPECT_THAT(child.standard_output(), StartsWith("0123456789012345678\n0123456789012345678\n"));
  EXPECT_TRUE(child.standard_output_was_cut());
  EXPECT_EQ(child.standard_error(), "");
}

TEST(ChildProcess, ForgetsWhatWasPrintedSoFar) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd input(ends[0]);
  const UniqueFd say(ends[1]);
  SpawnOptions options = roles::shell("echo 'a long first line' >&2; read x; echo two >&2");
  options.standard_input = input.get();
  auto child = ChildProcess::spawn(options);
  while (child.standard_error() != "a long first line\n") ::sched_yield();
  child.forget_output();
  ASSERT_EQ(::write(say.get(), "\n", 1), 1);
  (void)wait_for(child);
  EXPECT_EQ(child.standard_error(), "two\n");
}

}  // namespace
}  // namespace nightshift::ipc
