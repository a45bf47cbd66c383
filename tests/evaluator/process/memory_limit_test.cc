#include "evaluator/process/memory_limit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

namespace nightshift::evaluator {
namespace {

using search::Crashed;

Crashed crash(Crashed::Cause cause, int code, const std::string& words) {
  Crashed crash;
  crash.phase = search::Phase::kMeasure;
  crash.cause = cause;
  crash.code = code;
  crash.last_words = words;
  return crash;
}

TEST(MemoryLimit, IsNamedWhereAProgramSaysThatMemoryWasShort) {
  EXPECT_EQ(search::describe(with_memory_limit(
                crash(Crashed::Cause::kExitCode, 1, "Traceback\n  line 3\nMemoryError"), 4096)),
            "exited with code 1 while measuring: error: MemoryError; the limit is limits.memory, "
            "4096 bytes");
  const std::string compiler = "cc1plus: out of memory allocating 65536 bytes";
  EXPECT_EQ(with_memory_limit(compiler, 4096),
            "error: " + compiler + "; the limit is limits.memory, 4096 bytes\n" + compiler);
}

TEST(MemoryLimit, OfADeathWithoutWordsItMayBeWhy) {
  for (const auto& end : {crash(Crashed::Cause::kSignal, SIGSEGV, ""),
                          crash(Crashed::Cause::kExitCode, 128 + SIGABRT, "")}) {
    EXPECT_EQ(with_memory_limit(end, 4096).last_words,
              "error: perhaps for want of memory: limits.memory, 4096 bytes\n");
  }
}

TEST(MemoryLimit, OtherEndsAndThoseWithoutALimitAreAsTheyWere) {
  for (const auto& end : {crash(Crashed::Cause::kSignal, SIGKILL, ""),
                          crash(Crashed::Cause::kExitCode, 1, "no such file"),
                          crash(Crashed::Cause::kCorruptReply, SIGSEGV, "")}) {
    EXPECT_EQ(with_memory_limit(end, 4096).last_words, end.last_words);
  }
  EXPECT_EQ(with_memory_limit(crash(Crashed::Cause::kSignal, SIGSEGV, "MemoryError"), 0).last_words,
            "MemoryError");
  EXPECT_EQ(with_memory_limit("error: no such file", 4096), "error: no such file");
}

namespace fs = std::filesystem;

constexpr std::uint64_t kMachine = 1000;

class MachineMemoryOfGroups : public ::testing::Test {
 protected:
  MachineMemoryOfGroups() {
    folder_ = fs::temp_directory_path() / ("memory-test-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  ~MachineMemoryOfGroups() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  void write(const std::string& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  MachineMemory memory(std::uint64_t machine = kMachine) const {
    return memory_within(machine, folder_ / "own", folder_ / "groups");
  }

  fs::path folder_;
};

TEST_F(MachineMemoryOfGroups, WithoutGroupsItIsTheMachines) {
  EXPECT_EQ(memory().bytes, kMachine);
  EXPECT_FALSE(memory().is_of_group);
  write("own", "0::/job\nno line\n1:\n");
  write("groups/job/memory.max", "max\n");
  EXPECT_EQ(memory().bytes, kMachine);
  EXPECT_EQ(memory(0).bytes, 0U) << "not known";
}

TEST_F(MachineMemoryOfGroups, TheLeastOfAGroupAndThoseAroundItCounts) {
  write("own", "0::/job/step\n");
  write("groups/job/step/memory.max", "700\n");
  EXPECT_EQ(memory().bytes, 700U);
  write("groups/job/memory.max", "300\n");
  EXPECT_EQ(memory().bytes, 300U);
  EXPECT_TRUE(memory().is_of_group);
  write("groups/job/memory.max", "5000\n");
  EXPECT_EQ(memory().bytes, 700U);
  write("groups/job/step/memory.max", "9000\n");
  EXPECT_EQ(memory().bytes, kMachine) << "more than there is";
  EXPECT_EQ(memory(0).bytes, 5000U) << "nothing else is known";
}

TEST_F(MachineMemoryOfGroups, OfVersionOneTheMemoryControllerCounts) {
  write("own", "5:cpu,cpuacct:/a\n4:hugetlb,memory:/a\n3:memoryless:/b\n0::/\n");
  write("groups/memory/a/memory.limit_in_bytes", "600\n");
  write("groups/memory/b/memory.limit_in_bytes", "5\n");
  EXPECT_EQ(memory().bytes, 600U);
}

// The path is that of the host.
TEST_F(MachineMemoryOfGroups, InAContainerTheGroupAtTheTopCounts) {
  write("own", "4:memory:/docker/0123\n");
  write("groups/memory/memory.limit_in_bytes", "400\n");
  EXPECT_EQ(memory().bytes, 400U);
}

TEST(MachineMemory, IsKnownHere) { EXPECT_GT(machine_memory().bytes, std::uint64_t{1} << 26); }

}  // namespace
}  // namespace nightshift::evaluator
