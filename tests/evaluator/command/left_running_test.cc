#include "evaluator/command/left_running.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "ipc/orphans.h"
#include "tests/evaluator/evaluator_setup.h"

namespace nightshift::evaluator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

class LeftRunningTest : public ::testing::Test {
 protected:
  LeftRunningTest() { ipc::become_subreaper(); }
  ~LeftRunningTest() override { ipc::sweep_orphans({}); }

  // Of a shell that has ended.
  LeftRunning left_by(const std::string& script, const search::ProcessNames& known = {},
                      double seconds = 0) {
    LaunchOptions options;
    options.program = {"/bin/sh", "-c", script};
    program_ = launch(options);
    SignsOfWork signs;
    EXPECT_TRUE(reaches_end(program_, after(Clock::now(), 0), progress_, signs));
    ended_ = Clock::now();
    return await_rest(program_.pid(), ended_, after(ended_, seconds), known);
  }

  FakeProgress progress_;
  ipc::ChildProcess program_;
  Clock::time_point ended_;
};

// A program whose child lives until this process has a descriptor of it, as whoever waits for its
// end does.
std::string with_one_that_lives_until_it_is_waited_for() {
  return "exec python3 -S -c \"\nimport glob, os\nif os.fork(): os._exit(0)\n"
         "def told(file):\n"
         "  try: return 'Pid:\\t%d\\n' % os.getpid() in open(file).read()\n"
         "  except OSError: return False\n"
         "while not any(map(told, glob.glob('/proc/" +
         std::to_string(::getpid()) + "/fdinfo/*'))): pass\n\"";
}

TEST_F(LeftRunningTest, ItsEndIsThatOfAProgramThatLeavesNothing) {
  const LeftRunning left = left_by("true & wait; true | cat");
  EXPECT_FALSE(left.any);
  EXPECT_THAT(left.names, IsEmpty());
  EXPECT_EQ(left.end, ended_);
}

TEST_F(LeftRunningTest, TimeGoesOnUntilTheLastHasEnded) {
  const LeftRunning left = left_by(with_one_that_lives_until_it_is_waited_for());
  EXPECT_TRUE(left.any);
  EXPECT_THAT(left.names, IsEmpty());
  EXPECT_GT(left.end, ended_);
}

TEST_F(LeftRunningTest, WhatHasEndedWithoutBeingWaitedForIsNotLeft) {
  const LeftRunning left = left_by(
      "exec python3 -S -c 'import os; child = os.fork() or os._exit(0)\n"
      "os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)'");
  EXPECT_TRUE(left.any);
  EXPECT_THAT(left.names, IsEmpty());
  EXPECT_EQ(left.end, ended_);
}

TEST_F(LeftRunningTest, WhatGoesOnIsNamedAndNoPartOfTheTime) {
  const LeftRunning left = left_by("sleep 1000 & setsid sleep 1000 & sh -c 'sleep 1000; true' &");
  EXPECT_THAT(left.names, ElementsAre("sh", "sleep"));
  EXPECT_EQ(left.end, ended_);
}

TEST_F(LeftRunningTest, TheDeadlineEndsTheWait) {
  const LeftRunning left = left_by("sleep 1000 &", {}, 1e-9);
  EXPECT_THAT(left.names, Not(IsEmpty()));
}

// It would end by itself.
TEST_F(LeftRunningTest, NobodyWaitsForWhatIsKnownToStay) {
  const search::ProcessNames names =
      left_by(with_one_that_lives_until_it_is_waited_for(), {}, 1e-9).names;
  program_.reap();
  ipc::sweep_orphans({});
  EXPECT_EQ(left_by(with_one_that_lives_until_it_is_waited_for(), names).names, names);
}

TEST_F(LeftRunningTest, ItIsReapedAsEver) {
  left_by("sleep 1000 & exit 3");
  const auto report = program_.reap();
  ASSERT_TRUE(report);
  EXPECT_EQ(ipc::describe(*report), "exit code 3");
}

}  // namespace
}  // namespace nightshift::evaluator
