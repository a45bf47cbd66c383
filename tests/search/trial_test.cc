#include "search/trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>

#include "search/problem.h"

namespace nightshift::search {
namespace {

using ::testing::HasSubstr;

TEST(Trial, EveryOutcomeHasItsStatusName) {
  EXPECT_EQ(status_name(Measured{}), "measured");
  EXPECT_EQ(status_name(BuildFailed{}), "build_failed");
  EXPECT_EQ(status_name(LaunchFailed{}), "launch_failed");
  EXPECT_EQ(status_name(WrongResult{}), "wrong_result");
  EXPECT_EQ(status_name(TimedOut{}), "timed_out");
  EXPECT_EQ(status_name(Crashed{}), "crashed");
  EXPECT_EQ(status_name(DeviceLost{}), "device_lost");
  EXPECT_EQ(status_name(Skipped{}), "skipped");
}

TEST(Trial, OnlyMeasuredAndSkippedAreNoFailures) {
  EXPECT_FALSE(is_failure(Measured{}));
  EXPECT_FALSE(is_failure(Skipped{}));
  EXPECT_TRUE(is_failure(BuildFailed{}));
  EXPECT_TRUE(is_failure(DeviceLost{}));
}

TEST(Trial, NamesOfKindsAndPhases) {
  EXPECT_EQ(name_of(JobKind::kBaseline), "baseline");
  EXPECT_EQ(name_of(JobKind::kConfirm), "confirm");
  EXPECT_EQ(name_of(JobKind::kRebaseline), "rebaseline");
  EXPECT_EQ(name_of(JobKind::kExplore), "explore");
  EXPECT_EQ(name_of(Phase::kBoot), "boot");
  EXPECT_EQ(name_of(Phase::kWarmUp), "warm-up");
  EXPECT_EQ(name_of(Phase::kShutdown), "shutdown");
}

TEST(TrialDescription, CrashNamesSignalPhaseAndTheLastWords) {
  const Crashed crash{Crashed::Cause::kSignal, SIGSEGV, Phase::kMeasure, "loading\nat line 3\n\n"};
  EXPECT_EQ(describe(crash), "killed by SIGSEGV while measuring: at line 3");
  EXPECT_EQ(describe(Crashed{Crashed::Cause::kSignal, 40, Phase::kBoot, ""}),
            "killed by signal 40 while starting");
  EXPECT_EQ(describe(Crashed{Crashed::Cause::kExitCode, 3, Phase::kPrepare, ""}),
            "exited with code 3 while preparing the inputs");
  EXPECT_EQ(describe(Crashed{Crashed::Cause::kCorruptReply, 0, Phase::kReply, ""}),
            "sent a corrupt reply while replying");
  EXPECT_EQ(describe(Crashed{Crashed::Cause::kCorruptReply, 0, Phase::kReply, "twice\nerror: x"}),
            "sent a corrupt reply while replying: twice");
}

TEST(TrialDescription, ShowsTheFirstErrorOfADyingProgramOrElseItsLastLine) {
  const auto said = [](const std::string& words) {
    const std::string text =
        describe(Crashed{Crashed::Cause::kExitCode, 1, Phase::kMeasure, words});
    return text.substr(std::string("exited with code 1 while measuring: ").size());
  };
  EXPECT_EQ(said("/usr/bin/ld: a.o: in function `main':\na.c:3: undefined reference to `f'\n"
                 "collect2: error: ld returned 1 exit status\n"),
            "a.c:3: undefined reference to `f'");
  EXPECT_EQ(said("/srv/s.js:1\nthrow new Error('boom')\n^\n\nError: boom\n    at main\n\n"
                 "Node.js v20.20.2\n"),
            "Error: boom");
  EXPECT_EQ(said("Traceback (most recent call last):\n  File \"x.py\", line 1\nValueError: no\n"),
            "ValueError: no");
  EXPECT_EQ(said("terminate called after throwing\n  what():  boom\n"), "what():  boom");
}

TEST(TrialDescription, BuildFailureShowsTheErrorAmongTheContext) {
  EXPECT_EQ(describe(BuildFailed{"In file included from a.h\n  k.cc:7: error: no such type\nmore"}),
            "did not build: k.cc:7: error: no such type");
  EXPECT_EQ(describe(BuildFailed{"ptxas info : reading\nptxas fatal : too few registers\n"
                                 "ptxas fatal : aborted due to errors"}),
            "did not build: ptxas fatal : too few registers");
  EXPECT_EQ(describe(BuildFailed{"\n\nkilled\n"}), "did not build: killed");
  EXPECT_EQ(describe(BuildFailed{}), "did not build");
}

TEST(TrialDescription, LongLinesAreShortened) {
  EXPECT_LT(describe(LaunchFailed{std::string(100'000, 'x')}).size(), 400U);
}

TEST(TrialDescription, OtherFailures) {
  EXPECT_EQ(describe(Measured{}), "");
  EXPECT_EQ(describe(Skipped{TrialId{17}}), "same artifact as trial 17");
  EXPECT_EQ(describe(DeviceLost{"gone"}), "device lost: gone");
  EXPECT_EQ(describe(WrongResult{"c", 12, 1.5, 2, 0.5, 0.25}),
            "wrong result: c[12] is 1.5 where 2 was expected, off by 0.5 with a tolerance of 0.25");
  EXPECT_EQ(describe(WrongResult{"", 0, NAN, NAN, NAN, 0, "bs does not divide N\nmore"}),
            "wrong result: bs does not divide N");
  EXPECT_EQ(describe(WrongResult{"c", 4, 1, 3, 2, 0, "off"}),
            "wrong result: off; c[4] is 1 where 3 was expected");
  EXPECT_EQ(describe(WrongResult{"c", 4, 0x1p53, 0x1p53, 0, 0, "c[4] is 9007199254740993"}),
            "wrong result: c[4] is 9007199254740993")
      << "which no double is";
  EXPECT_EQ(describe(LaunchFailed{"cannot start 'x'"}), "gave no result: cannot start 'x'");
  EXPECT_EQ(describe(TimedOut{Phase::kMeasure, 60, false, "it printed nothing"}),
            "exceeded 60 s while measuring (hung: no sign of progress): it printed nothing");
  EXPECT_EQ(describe(TimedOut{Phase::kMeasure, 3.2000000001, false}),
            "exceeded 3.2 s while measuring (hung: no sign of progress)");
  EXPECT_THAT(describe(TimedOut{Phase::kBuild, 90, false}), HasSubstr("90 s while building (hung"));
  EXPECT_EQ(describe(TimedOut{Phase::kVerify, 0.256, false, "", true}),
            "ended with the study's time, after 0.256 s, while checking its answer")
      << "nothing hung";
  EXPECT_THAT(describe(TimedOut{Phase::kVerify, 60, true}), HasSubstr("making progress"));
}

Problem problem_of_two() {
  Problem problem;
  Parameter a{"a", ParameterType::kInt, {std::int64_t{1}, std::int64_t{2}}, {}, {}};
  Parameter b{"b", ParameterType::kInt, {std::int64_t{4}, std::int64_t{8}}, std::int64_t{8}, {}};
  problem.parameters = {a, b};
  return problem;
}

TEST(Problem, BaselineIsCompletedByTheDefaults) {
  Problem problem = problem_of_two();
  EXPECT_EQ(resolved(problem, {}).to_json(), R"({"a": 1, "b": 8})");
  problem.baseline.set("a", std::int64_t{2});
  EXPECT_EQ(resolved(problem, {}).to_json(), R"({"a": 2, "b": 8})");
  const Configuration other({{"a", std::int64_t{1}}});
  EXPECT_EQ(resolved(problem, other), other);
}

TEST(Problem, OnlyHostKernelsAreBuilt) {
  Problem problem;
  EXPECT_EQ(name_of(problem.backend), "host");
  EXPECT_TRUE(needs_build(problem));
  problem.backend = CommandBackend{};
  EXPECT_EQ(name_of(problem.backend), "command");
  EXPECT_FALSE(needs_build(problem));
  problem.backend = RecordedBackend{};
  EXPECT_EQ(name_of(problem.backend), "recorded");
}

}  // namespace
}  // namespace nightshift::search
