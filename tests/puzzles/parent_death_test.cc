// The parent is killed: within moments nothing of its run is left.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>

#include "ipc/child_process.h"
#include "ipc/process_table.h"
#include "pool_driver.h"
#include "residue.h"
#include "tests/fakes/paths.h"

namespace nightshift::puzzles {
namespace {

using ::testing::IsEmpty;

// The warden removes the run's folder in the scratch folder last; it is then the sign that all is
// done.
bool empty_after_a_while(const std::string& folder) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!std::filesystem::is_empty(folder) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return std::filesystem::is_empty(folder);
}

struct DoomedRun {
  DoomedRun() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
    output = ipc::UniqueFd(ends[0]);
    const ipc::UniqueFd input(ends[1]);
    std::filesystem::create_directory(scratch);
    ipc::SpawnOptions options;
    options.program = testing_paths::program("doomed-run");
    options.arguments = {scratch, artifacts.path(), testing_paths::program("misbehave")};
    options.standard_output = input.get();
    process = ipc::ChildProcess::spawn(options);
  }
  // Until it says that it is under way.
  void wait_until_going() {
    char c = 0;
    ASSERT_EQ(::read(output.get(), &c, 1), 1) << process.standard_error();
  }
  // Only the parent itself: its group is not to help.
  void kill() { ::kill(process.pid(), SIGKILL); }

  TemporaryFolder outer, artifacts;
  const std::string scratch = outer.path() + "/scratch";
  ipc::UniqueFd output;
  ipc::ChildProcess process;
};

void expect_all_gone(const Residue& residue, DoomedRun& run) {
  EXPECT_TRUE(empty_after_a_while(run.scratch));
  run.process.destroy(std::chrono::seconds(5));
  EXPECT_THAT(residue.processes_after_a_while(), IsEmpty());
}

TEST(ParentDeath, UnderWayLeavesNothing) {
  const Residue residue;
  for (int i = 0; i < 5; ++i) {
    DoomedRun run;
    run.wait_until_going();
    run.kill();
    expect_all_gone(residue, run);
  }
}

TEST(ParentDeath, AtARandomInstantOfItsStartLeavesNothing) {
  const Residue residue;
  std::mt19937 random(std::random_device{}());
  for (int i = 0; i < 15; ++i) {
    DoomedRun run;
    // The instant itself is what is tried out; whatever it is, nothing may be left.
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 30000));
    run.kill();
    run.process.destroy(std::chrono::seconds(5));
    // Killed before its warden was there: nobody but us can remove the folder then.
    EXPECT_THAT(residue.processes_after_a_while(), IsEmpty());
  }
}

// The process id of the warden: the child of `parent` that was started as one.
int warden_of(int parent) {
  for (const pid_t pid : ipc::all_processes()) {
    if (ipc::parent_of(pid) != parent) continue;
    std::ifstream in("/proc/" + std::to_string(pid) + "/cmdline", std::ios::binary);
    std::string argument;  // none of a process that has ended
    while (std::getline(in, argument, '\0')) {
      if (argument == "--warden") return pid;
    }
  }
  return -1;
}

TEST(ParentDeath, AfterThatOfItsWardenLeavesNothingBecauseThereIsAnotherWarden) {
  const Residue residue;
  DoomedRun run;
  run.wait_until_going();
  const int first = warden_of(run.process.pid());
  ASSERT_GT(first, 0);
  ::kill(first, SIGKILL);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  int second = -1;
  while ((second <= 0 || second == first) && std::chrono::steady_clock::now() < deadline) {
    second = warden_of(run.process.pid());
  }
  ASSERT_GT(second, 0);
  run.kill();
  expect_all_gone(residue, run);
}

}  // namespace
}  // namespace nightshift::puzzles
