#include "ipc/process_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace nightshift::ipc {
namespace {

namespace fs = std::filesystem;

// A process that waits for a signal, and is gone with its test.
class Sleeper {
 public:
  Sleeper() : pid_(::fork()) {
    while (pid_ == 0) ::pause();
  }
  ~Sleeper() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

// A control group that can be frozen, by either version; `where` is empty where none can be made.
class ControlGroup {
 public:
  explicit ControlGroup(const char* root, const char* file, const char* on, const char* off)
      : path_(std::string(root) + "/nightshift-test-" + std::to_string(::getpid())),
        file_(file),
        on_(on),
        off_(off) {
    std::error_code error;
    is_there_ = fs::create_directory(path_, error) && fs::exists(path_ + "/" + file_, error);
  }
  ~ControlGroup() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  bool is_there() const { return is_there_; }
  void take(pid_t pid) { write("cgroup.procs", std::to_string(pid)); }
  void freeze() { write(file_, on_); }
  void thaw() { write(file_, off_); }

 private:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name) << text << std::flush;
  }
  std::string path_, file_, on_, off_;
  bool is_there_ = false;
};

// The kernel says that a group is frozen a moment after it was told to freeze it.
bool becomes(pid_t pid, std::string_view held) {
  for (int look = 0; look < 10'000; ++look) {
    if (held_by(pid) == held) return true;
    ::usleep(100);
  }
  return false;
}

void expect_frozen(ControlGroup& group) {
  const Sleeper sleeper;
  group.take(sleeper.pid());
  EXPECT_EQ(held_by(sleeper.pid()), "");
  group.freeze();
  EXPECT_TRUE(becomes(sleeper.pid(), "frozen with its control group"));
  group.thaw();
  EXPECT_TRUE(becomes(sleeper.pid(), ""));
}

TEST(CoreTimesIn, AreSecondsOnACoreAndWithoutOne) {
  const auto times = core_times_in("1500000000 250000000 17\n");
  ASSERT_TRUE(times);
  EXPECT_DOUBLE_EQ(times->ran, 1.5);
  EXPECT_DOUBLE_EQ(times->waited, 0.25);
  for (const char* text : {"", "\n", "12", "x 1 2", "-1 2 3"})
    EXPECT_FALSE(core_times_in(text)) << text;
}

TEST(CoreTimesOfTree, AreNoneOfAProcessThatIsGone) {
  pid_t gone = 0;
  {
    const Sleeper sleeper;
    gone = sleeper.pid();
  }
  EXPECT_FALSE(core_times_of_tree(gone));
}

TEST(CoreTimesOfTree, GrowWithWhatIsComputed) {
  if (!fs::exists("/proc/self/schedstat")) GTEST_SKIP() << "the kernel keeps none";
  const auto before = core_times_of_tree(::getpid());
  ASSERT_TRUE(before);
  const auto ticks = cpu_ticks_of_tree(::getpid());
  while (cpu_ticks_of_tree(::getpid()) < ticks + 3) {
  }
  const auto after = core_times_of_tree(::getpid());
  ASSERT_TRUE(after);
  EXPECT_GT(after->ran, before->ran);
  EXPECT_GE(after->waited, before->waited);
}

TEST(PeakMemoryIn, IsBytesOfTheLine) {
  EXPECT_EQ(peak_memory_in("Name:\tx\nVmPeak:\t 9 kB\nVmHWM:\t    6828 kB\nVmRSS:\t 1 kB\n"),
            6828U << 10);
  for (const char* text : {"", "Name:\tVmHWM: 17 kB\n", "Name:\tx\nVmHWM:\n", "\nVmHWM: x kB\n"})
    EXPECT_FALSE(peak_memory_in(text)) << text;
}

TEST(PeakMemory, IsForgottenAndGrowsAgain) {
  constexpr std::size_t kMuch = std::size_t{64} << 20;
  const auto touch = [] { std::vector<char>(kMuch, 'x').back() = 'y'; };
  touch();
  const auto before = peak_memory_of_tree(::getpid());
  ASSERT_TRUE(before);
  EXPECT_GT(*before, kMuch);
  if (!forget_peak_memory_of_tree(::getpid())) GTEST_SKIP() << "the kernel does not let us";
  EXPECT_LT(*peak_memory_of_tree(::getpid()), *before - kMuch / 2);
  touch();
  EXPECT_GT(*peak_memory_of_tree(::getpid()), kMuch);
}

TEST(PeakMemory, OfAProcessThatIsGoneIsNotKnown) {
  pid_t gone = 0;
  {
    const Sleeper sleeper;
    gone = sleeper.pid();
    EXPECT_TRUE(peak_memory_of_tree(gone));
  }
  EXPECT_FALSE(peak_memory_of_tree(gone));
  EXPECT_FALSE(forget_peak_memory_of_tree(gone));
}

TEST(ProcessTable, AStoppedProcessIsHeld) {
  const Sleeper sleeper;
  EXPECT_EQ(held_by(sleeper.pid()), "");
  ::kill(sleeper.pid(), SIGSTOP);
  EXPECT_TRUE(becomes(sleeper.pid(), "stopped by a signal"));
  ::kill(sleeper.pid(), SIGCONT);
  EXPECT_TRUE(becomes(sleeper.pid(), ""));
}

TEST(ProcessTable, AFrozenControlGroupHoldsItsProcesses) {
  ControlGroup group("/sys/fs/cgroup", "cgroup.freeze", "1", "0");
  if (!group.is_there()) GTEST_SKIP() << "no control group of version 2 can be made here";
  expect_frozen(group);
}

TEST(ProcessTable, AFrozenControlGroupBesideThoseOfTheFirstVersionHoldsItsProcesses) {
  ControlGroup group("/sys/fs/cgroup/unified", "cgroup.freeze", "1", "0");
  if (!group.is_there()) GTEST_SKIP() << "no control group of version 2 can be made here";
  expect_frozen(group);
}

TEST(ProcessTable, AFrozenControlGroupOfTheFirstVersionHoldsItsProcesses) {
  ControlGroup group("/sys/fs/cgroup/freezer", "freezer.state", "FROZEN", "THAWED");
  if (!group.is_there()) GTEST_SKIP() << "no control group of version 1 can be made here";
  expect_frozen(group);
}

}  // namespace
}  // namespace nightshift::ipc
