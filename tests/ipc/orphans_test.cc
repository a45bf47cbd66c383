#include "ipc/orphans.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "ipc/child_process.h"
#include "ipc/process_table.h"
#include "ipc/warden.h"
#include "roles.h"

namespace nightshift::ipc {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Children write lines into it and keep it open; it ends when the last of them is gone.
class Line {
 public:
  Line() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    read_.reset(ends[0]);
    write_.reset(ends[1]);
  }
  ChildProcess spawn(SpawnOptions options) {
    options.standard_output = write_.get();
    return ChildProcess::spawn(options);
  }
  // No other child will be started with it.
  void close() { write_.reset(); }
  std::string next() {
    std::string text;
    for (char c = 0; ::read(read_.get(), &c, 1) == 1 && c != '\n';) text += c;
    return text;
  }
  bool ended() {
    close();
    pollfd p{read_.get(), POLLIN, 0};
    char c = 0;
    return ::poll(&p, 1, 60'000) == 1 && ::read(read_.get(), &c, 1) == 0;
  }

 private:
  UniqueFd read_, write_;
};

void wait_for(ChildProcess& child) {
  pollfd death{child.pidfd(), POLLIN, 0};
  ASSERT_EQ(::poll(&death, 1, 60'000), 1);
  ASSERT_TRUE(child.reap());
}

// Starts a grandchild in a session of its own, which no signal to the group reaches.
constexpr const char* kEscape = "setsid sh -c 'echo $$; exec sleep 1000' & ";

class SweepOrphans : public testing::Test {
 protected:
  void SetUp() override { become_subreaper(); }
  void TearDown() override {
    (void)sweep_orphans({});
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  }
  Line line_;
};

TEST_F(SweepOrphans, KillsAndReapsAGrandchildThatLeftTheGroup) {
  auto child = line_.spawn(roles::shell(std::string(kEscape) + "wait"));
  const pid_t grandchild = std::stoi(line_.next());
  (void)child.destroy(60s);
  EXPECT_EQ(parent_of(grandchild), ::getpid());
  EXPECT_EQ(sweep_orphans({}), 1u);
  EXPECT_EQ(::kill(grandchild, 0), -1);
  EXPECT_TRUE(line_.ended());
}

TEST_F(SweepOrphans, ReapsOneThatIsDeadAlready) {
  auto child = line_.spawn(roles::shell(std::string(kEscape) + "wait"));
  const pid_t grandchild = std::stoi(line_.next());
  (void)child.destroy(60s);
  ASSERT_EQ(::kill(grandchild, SIGKILL), 0);
  ASSERT_TRUE(line_.ended());
  EXPECT_EQ(sweep_orphans({}), 1u);
  EXPECT_EQ(::kill(grandchild, 0), -1);
}

TEST_F(SweepOrphans, AnOrphanIsListedUntilItIsReapedAndNamedUntilItEnds) {
  auto child = line_.spawn(roles::shell(std::string(kEscape) + "wait"));
  const pid_t grandchild = std::stoi(line_.next());
  (void)child.destroy(60s);
  EXPECT_THAT(orphans({}), ElementsAre(grandchild));
  EXPECT_THAT(orphans({grandchild}), IsEmpty());
  EXPECT_THAT(living_name_of(grandchild), AnyOf("sh", "sleep"));
  ASSERT_EQ(::kill(grandchild, SIGKILL), 0);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(grandchild), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(living_name_of(grandchild), "");
  EXPECT_THAT(orphans({}), ElementsAre(grandchild));
}

TEST_F(SweepOrphans, FollowsTheFamilyOfWhatItKills) {
  auto child = line_.spawn(
      roles::shell("setsid sh -c 'setsid sh -c \"setsid sleep 1000 & echo; wait\" & wait' & wait"));
  (void)line_.next();
  (void)child.destroy(60s);
  EXPECT_GE(sweep_orphans({}), 3u);
  EXPECT_TRUE(line_.ended());
}

TEST_F(SweepOrphans, SparesWhatIsKnown) {
  auto child = line_.spawn(roles::shell("echo; sleep 1000"));
  (void)line_.next();
  EXPECT_EQ(sweep_orphans({child.pid()}), 0u);
  EXPECT_FALSE(child.dead());
}

// A command that compiles has others beside the compiler: its warden, an interpreter.
TEST_F(SweepOrphans, HasNoneWhereNobodysAreHandedToIt) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
  auto child = line_.spawn(roles::shell("echo; sleep 1000"));
  (void)line_.next();
  EXPECT_THAT(orphans({}), IsEmpty());
  EXPECT_EQ(sweep_orphans({}), 0u);
  EXPECT_FALSE(child.dead());
}

TEST_F(SweepOrphans, FindsNothingWhereNothingIs) { EXPECT_EQ(sweep_orphans({}), 0u); }

// --- Marked processes ---

SpawnOptions marked(const std::string& command, const std::string& mark) {
  SpawnOptions options = roles::shell(command);
  options.environment = {{kRunMark, mark}};
  return options;
}

TEST(KillMarked, KillsEveryProcessOfTheRunAndNoOther) {
  Line ours, others;
  auto one = ours.spawn(marked("setsid sleep 1000 & echo; wait", "run-a"));
  auto two = ours.spawn(marked("echo; sleep 1000", "run-a"));
  auto other = others.spawn(marked("echo; sleep 1000", "run-ab"));
  auto unmarked = others.spawn(roles::shell("echo; NIGHTSHIFT=run-a sleep 1000"));
  for (Line* line : {&ours, &ours, &others, &others}) (void)line->next();
  EXPECT_GE(kill_marked("run-a"), 4u);  // two shells, two sleeps
  EXPECT_TRUE(ours.ended());
  EXPECT_TRUE(one.dead());
  EXPECT_TRUE(two.dead());
  EXPECT_FALSE(other.dead());
  EXPECT_FALSE(unmarked.dead());
}

TEST(RunMark, IsAnothersForEachRunAndFillsItsPlace) {
  const std::string mark = fresh_run_mark();
  EXPECT_EQ(mark.size(), 32u);
  EXPECT_EQ(mark.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(mark, fresh_run_mark());
}

TEST(KillMarked, FindsNothingWithoutAMark) {
  Line line;
  auto child = line.spawn(marked("echo; sleep 1000", ""));
  (void)line.next();
  EXPECT_EQ(kill_marked(""), 0u);
  EXPECT_EQ(kill_marked("a mark that nobody carries"), 0u);
  EXPECT_FALSE(child.dead());
}

TEST(KillMarked, SparesTheCaller) {
  ASSERT_EQ(::setenv(kRunMark, "own", 1), 0);
  SpawnOptions options;
  options.program = roles::program();
  options.arguments = {"--kill-marked", "own"};
  auto child = ChildProcess::spawn(options);
  ASSERT_EQ(::unsetenv(kRunMark), 0);
  wait_for(child);
  EXPECT_EQ(describe(child.reap().value()), "exit code 0");
}

// --- The warden ---

class WardenTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("nightshift-" + mark_);
    fs::create_directories(folder_ / "deep" / "deeper");
    std::ofstream(folder_ / "deep" / "file") << "x";
  }
  void TearDown() override { fs::remove_all(folder_); }

  // A parent with a warden and a marked grandchild that has left every group and session.
  ChildProcess parent() {
    SpawnOptions options;
    options.program = roles::program();
    options.arguments = {"--parent-of-warden", mark_, folder_.string(),
                         std::string(kEscape) + "wait"};
    return line_.spawn(options);
  }

  // Of the test: a warden of the one before may still be cleaning.
  const std::string mark_ = std::string("warden-") +
                            testing::UnitTest::GetInstance()->current_test_info()->name() + "-" +
                            std::to_string(::getpid());
  fs::path folder_;
  Line line_;
};

TEST_F(WardenTest, CleansUpAfterAParentThatWasKilled) {
  auto killed = parent();
  const pid_t grandchild = std::stoi(line_.next());
  ASSERT_EQ(::kill(grandchild, 0), 0);
  ASSERT_EQ(::kill(killed.pid(), SIGKILL), 0);
  EXPECT_TRUE(line_.ended());
  while (fs::exists(folder_)) ::sched_yield();
}

TEST_F(WardenTest, ContinuesAParentThatWasStopped) {
  auto stopped_parent = parent();
  (void)line_.next();
  ASSERT_EQ(::kill(stopped_parent.pid(), SIGSTOP), 0);
  while (!stopped(stopped_parent.pid())) ::sched_yield();
  while (stopped(stopped_parent.pid())) std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(stopped_parent.dead());
  ASSERT_EQ(::kill(stopped_parent.pid(), SIGKILL), 0);
  while (fs::exists(folder_)) ::sched_yield();
}

// "17 (a ) T) T 1 ...", as /proc/PID/stat has it.
std::string stat_text(char state, int terminal, int exit_code) {
  std::string text = std::string("17 (a ) T) ") + state + " 1 17 17 " + std::to_string(terminal);
  for (int field = 8; field < 52; ++field) text += " 7";
  return text + " " + std::to_string(exit_code) + "\n";
}

bool is_continued(char state, int terminal, int exit_code) {
  const auto stop = stopped_in(stat_text(state, terminal, exit_code));
  return stop && is_to_continue(*stop);
}

TEST(Stopped, WhatATerminalStopsIsLeftAlone) {
  constexpr int kTerminal = 34816;
  EXPECT_TRUE(is_continued('T', 0, SIGSTOP));
  EXPECT_TRUE(is_continued('T', kTerminal, SIGSTOP)) << "no key sends it";
  EXPECT_FALSE(is_continued('T', kTerminal, SIGTSTP)) << "Ctrl-Z";
  EXPECT_FALSE(is_continued('T', kTerminal, SIGTTIN)) << "in the background";
  EXPECT_TRUE(is_continued('T', 0, SIGTSTP)) << "nobody could say fg";
  EXPECT_FALSE(is_continued('T', kTerminal, 0)) << "it may have been Ctrl-Z";
  EXPECT_TRUE(is_continued('T', 0, 0));
  EXPECT_FALSE(is_continued('S', 0, 0));
  EXPECT_FALSE(is_continued('t', 0, SIGSTOP)) << "a debugger has it";
  EXPECT_FALSE(stopped_in("").has_value());
  EXPECT_FALSE(stopped_in("17 (cut").has_value());
  EXPECT_FALSE(stopped_in("17 (cut) T 1").value_or(Stopped{SIGSTOP, true}).has_terminal);
}

TEST_F(WardenTest, CleansNothingAfterAFarewell) {
  Warden warden = Warden::start(roles::program(), mark_, {folder_.string()});
  auto child = line_.spawn(marked("echo; sleep 1000", mark_));
  (void)line_.next();
  warden.farewell();
  EXPECT_FALSE(child.dead());
  EXPECT_TRUE(fs::exists(folder_ / "deep" / "file"));
  warden.farewell();  // again: nothing happens
}

TEST_F(WardenTest, OutlivesTheSignalsThatEndARun) {
  Warden warden = Warden::start(roles::program(), mark_, {folder_.string()});
  // It ignores signals once it runs; its own process says when.
  const auto pid = [&] {
    for (const pid_t p : all_processes()) {
      if (parent_of(p) == ::getpid()) return p;
    }
    return pid_t{0};
  }();
  ASSERT_GT(pid, 0);
  const auto ignores = [&] {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.rfind("SigIgn:", 0) != 0) continue;
      return ((std::stoull(line.substr(8), nullptr, 16) >> (SIGPIPE - 1)) & 1) != 0;
    }
    return false;
  };
  while (!ignores()) ::sched_yield();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ASSERT_EQ(::kill(pid, signal), 0);
  EXPECT_EQ(::getsid(pid), pid);
  EXPECT_EQ(::getpgid(pid), pid);
  pollfd death{warden.pidfd(), POLLIN, 0};
  EXPECT_EQ(::poll(&death, 1, 0), 0);
  warden.farewell();
}

TEST_F(WardenTest, SurvivesTheSweepOfARunAroundIt) {
  ASSERT_EQ(::setenv(kRunMark, mark_.c_str(), 1), 0);
  Warden warden = Warden::start(roles::program(), "inner", {});
  ASSERT_EQ(::unsetenv(kRunMark), 0);
  EXPECT_EQ(kill_marked(mark_), 0u);
  pollfd death{warden.pidfd(), POLLIN, 0};
  EXPECT_EQ(::poll(&death, 1, 0), 0);
  warden.farewell();
}

// The warden's part, told nothing but the end of its line; returns its exit code.
int code_of_warden_for(const std::string& folder) {
  Line line;
  SpawnOptions options;
  options.program = roles::program();
  options.arguments = {"--warden", "a mark that nobody carries", "0", folder};
  const UniqueFd closed(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  options.descriptors = {{closed.get(), 3}};
  auto warden = ChildProcess::spawn(options);
  wait_for(warden);
  return std::get<Exited>(warden.reap().value()).code;
}

TEST_F(WardenTest, RefusesFoldersThatNoRunMakes) {
  const fs::path relative = fs::relative(folder_);
  EXPECT_EQ(code_of_warden_for(relative.string()), 1);
  EXPECT_EQ(code_of_warden_for(""), 1);
  EXPECT_EQ(code_of_warden_for((folder_ / "../../../../../..").string()), 1);
  EXPECT_TRUE(fs::exists(folder_ / "deep" / "file"));
  EXPECT_EQ(code_of_warden_for(folder_.string()), 0);
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(WardenTest, DoesNotFollowLinksOutOfItsFolder) {
  const fs::path scratch = folder_ / "scratch";
  fs::create_directory(scratch);
  fs::create_directory_symlink(folder_ / "deep", scratch / "link");
  EXPECT_EQ(code_of_warden_for(scratch.string()), 0);
  EXPECT_FALSE(fs::exists(scratch));
  EXPECT_TRUE(fs::exists(folder_ / "deep" / "file"));
}

}  // namespace
}  // namespace nightshift::ipc
