#include "evaluator/command/command_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "ipc/orphans.h"
#include "search/figures/left_running.h"
#include "search/time_unit.h"
#include "tests/evaluator/evaluator_setup.h"

namespace nightshift::evaluator {
namespace {

using search::Crashed;
using search::FigureRule;
using search::LaunchFailed;
using search::Measured;
using search::TimedOut;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CommandBackendTest : public ::testing::Test {
 protected:
  CommandBackendTest() {
    ipc::become_subreaper();
    problem_.name = "command";
    problem_.parameters = {parameter("TILE", {std::int64_t{8}, std::int64_t{16}})};
    command().directory = folder_.path();
    command().runs = 1;
  }

  search::CommandBackend& command() {
    if (!std::holds_alternative<search::CommandBackend>(problem_.backend)) {
      problem_.backend = search::CommandBackend{};
    }
    return std::get<search::CommandBackend>(problem_.backend);
  }
  void shell(const std::string& script) { command().argv = {"/bin/sh", "-c", script}; }

  search::TrialOutcome outcome(const search::Configuration& c = {}) {
    CommandTrialBackend backend(setting_for(problem_, folder_), std::make_unique<CoreWatch>());
    ipc::EvaluateRequest request;
    request.configuration = c;
    request.give_up_above = give_up_above_;
    return backend.evaluate(request, progress_).outcome;
  }
  std::vector<double> times(const search::Configuration& c = {}) {
    const auto result = outcome(c);
    const auto* measured = std::get_if<Measured>(&result);
    EXPECT_NE(measured, nullptr) << search::describe(result);
    return measured != nullptr ? measured->measurement.find("time")->values : std::vector<double>{};
  }
  static std::string complaint(const search::TrialOutcome& result) {
    const auto* failed = std::get_if<LaunchFailed>(&result);
    return failed != nullptr ? failed->message : search::describe(result);
  }
  std::string refusal() {
    try {
      CommandTrialBackend backend(setting_for(problem_, folder_), std::make_unique<CoreWatch>());
    } catch (const std::exception& e) {
      return e.what();
    }
    return "accepted";
  }

  TemporaryFolder folder_;
  search::Problem problem_;
  FakeProgress progress_;
  double give_up_above_ = 0;
};

search::Configuration tile(std::int64_t value) { return configuration({{"TILE", value}}); }

TEST_F(CommandBackendTest, ParametersReachArgumentsAndEnvironment) {
  shell("echo \"{{\\\"time\\\": [{TILE}, $T]}\"");
  command().environment = {{"T", "1{TILE}"}};
  EXPECT_THAT(times(tile(16)), ElementsAre(16, 116));
}

TEST_F(CommandBackendTest, EveryRunAddsItsSamples) {
  shell("echo run >> runs; echo \"{{\\\"time\\\": $(wc -l < runs)}\"");
  command().runs = 3;
  EXPECT_THAT(times(), ElementsAre(1, 2, 3));
}

// A clock that is too coarse says 0 now and then.
TEST_F(CommandBackendTest, ATimeOfZeroDoesNotCountAndIsMeasuredAgain) {
  shell("echo run >> runs; n=$(wc -l < runs); echo \"{{\\\"time\\\": $((n % 2 * n))}\"");
  command().runs = 3;
  const auto measured = std::get<Measured>(outcome()).measurement;
  EXPECT_THAT(measured.find("time")->values, ElementsAre(1, 3, 5));
  EXPECT_EQ(measured.condition(search::kVoidCondition), "2 of 5 samples were 0");
  EXPECT_EQ(measured.condition("runs"), "5");
}

TEST_F(CommandBackendTest, ZeroesAmongSamplesOfARunDoNotCount) {
  shell("echo '{{\"time\": [0, 2, 0, 4]}'");
  const auto measured = std::get<Measured>(outcome()).measurement;
  EXPECT_THAT(measured.find("time")->values, ElementsAre(2, 4));
  EXPECT_EQ(measured.condition(search::kVoidCondition), "2 of 4 samples were 0");
}

TEST_F(CommandBackendTest, ATimeThatStaysZeroIsAnError) {
  shell("echo run >> runs; echo '{{\"time\": 0}'");
  command().runs = 2;
  EXPECT_THAT(search::describe(outcome()),
              AllOf(HasSubstr("'time' was 0 in each of 8 runs"), HasSubstr("too coarse")));
}

// What is no time, or only has to keep a limit, may be 0.
TEST_F(CommandBackendTest, OtherFiguresMayBeZero) {
  shell("echo '{{\"time\": 3, \"error\": 0}'");
  problem_.objectives.push_back({"error", "s"});
  problem_.objectives.back().at_most = 1;
  const auto measured = std::get<Measured>(outcome()).measurement;
  EXPECT_THAT(measured.find("error")->values, ElementsAre(0));
  EXPECT_EQ(measured.condition(search::kVoidCondition), "");
}

TEST_F(CommandBackendTest, SlowProgramIsGivenUpAfterItsFirstRun) {
  shell("echo '{{\"time\": [7, {TILE}]}'");
  command().runs = 3;
  give_up_above_ = 6;
  const auto slow = std::get<Measured>(outcome(tile(8))).measurement;
  EXPECT_TRUE(slow.censored);
  EXPECT_THAT(slow.find("time")->values, ElementsAre(7, 8));
  EXPECT_THAT(slow.conditions, ::testing::Contains(::testing::Pair("runs", "1")));
  give_up_above_ = 7;  // one sample is not above it
  const auto undecided = std::get<Measured>(outcome(tile(8))).measurement;
  EXPECT_FALSE(undecided.censored);
  EXPECT_EQ(undecided.find("time")->values.size(), 6u);
}

// Who sleeps does nothing that anybody can see; who computes is slow.
TEST_F(CommandBackendTest, AProgramThatSleepsHangsAndOneThatComputesIsSlow) {
  problem_.limits.measure = 2.5;
  shell("sleep 1000; echo");
  auto late = std::get<TimedOut>(outcome());
  EXPECT_FALSE(late.progressing);
  shell("while :; do :; done");
  late = std::get<TimedOut>(outcome());
  EXPECT_TRUE(late.progressing);
  shell("sh -c 'while :; do :; done'; echo");
  EXPECT_TRUE(std::get<TimedOut>(outcome()).progressing) << "what it started computes";
}

TEST_F(CommandBackendTest, AnEndForWantOfMemoryNamesTheLimit) {
  problem_.limits.memory_bytes = 64 << 20;
  shell("echo 'MemoryError' >&2; exit 1");
  EXPECT_THAT(search::describe(outcome()),
              HasSubstr("MemoryError; the limit is limits.memory, 67108864 bytes"));
}

// Counts, and notes what it was asked in the measurement.
struct CountingWatch final : DeviceWatch {
  explicit CountingWatch(std::vector<std::string>& calls) : calls_(calls) {}
  void begin() override { calls_.push_back("begin"); }
  void note(search::Measurement& measurement) override {
    calls_.push_back("note");
    measurement.conditions.emplace_back("device", "watched");
    measurement.disturbance = "an earthquake";
  }
  std::vector<std::string>& calls_;
};

TEST_F(CommandBackendTest, TheDeviceIsWatchedAroundEachEvaluationWhateverItIs) {
  shell("[ {TILE} = 8 ] && echo '{{\"time\": 1}'");
  std::vector<std::string> calls;
  CommandTrialBackend backend(setting_for(problem_, folder_),
                              std::make_unique<CountingWatch>(calls));
  EXPECT_THAT(calls, ElementsAre()) << "a spare is not measured";
  ipc::EvaluateRequest request;
  request.configuration = tile(8);
  const auto measured =
      std::get<Measured>(backend.evaluate(request, progress_).outcome).measurement;
  EXPECT_THAT(calls, ElementsAre("begin", "note"));
  EXPECT_EQ(measured.disturbance, "an earthquake");
  EXPECT_THAT(measured.conditions,
              ElementsAre(::testing::Pair("runs", "1"), ::testing::Pair("device", "watched")));
  request.configuration = tile(16);
  EXPECT_TRUE(std::holds_alternative<Crashed>(backend.evaluate(request, progress_).outcome));
  EXPECT_THAT(calls, ElementsAre("begin", "note", "begin")) << "failures have no conditions";
}

TEST_F(CommandBackendTest, OnCoresTheConditionsNameThem) {
  shell("echo '{{\"time\": 1}'");
  const auto measured = std::get<Measured>(outcome()).measurement;
  EXPECT_THAT(measured.conditions, ::testing::Contains(::testing::Key("cores")));
}

TEST_F(CommandBackendTest, OnlyRunIsNeverGivenUp) {
  shell("echo '{{\"time\": {TILE}}'");
  give_up_above_ = 1;
  EXPECT_FALSE(std::get<Measured>(outcome(tile(8))).measurement.censored);
}

TEST_F(CommandBackendTest, FigureToBeMaximisedIsGivenUpByItsReciprocal) {
  shell("echo '{{\"rate\": {TILE}}'");
  problem_.objectives = {{"rate", "GB/s", search::Direction::kMaximise}};
  command().runs = 2;
  give_up_above_ = 1.0 / 10;
  EXPECT_TRUE(std::get<Measured>(outcome(tile(8))).measurement.censored);
  EXPECT_FALSE(std::get<Measured>(outcome(tile(16))).measurement.censored);
}

TEST_F(CommandBackendTest, EmptyConfigurationIsTheBaseline) {
  shell("echo '{{\"time\": {TILE}}'");
  problem_.baseline = tile(16);
  EXPECT_THAT(times(), ElementsAre(16));
  command().baseline_argv = {"/bin/echo", "{{\"time\": 99}"};
  EXPECT_THAT(times(), ElementsAre(99));
  EXPECT_THAT(times(tile(8)), ElementsAre(8));
}

TEST_F(CommandBackendTest, RunsInItsDirectory) {
  folder_.write("answer", "{\"time\": 42}\n");
  command().argv = {"cat", "answer"};
  EXPECT_THAT(times(), ElementsAre(42));
}

TEST_F(CommandBackendTest, ExitCodeIsACrashWithTheLastWords) {
  shell("echo noise; echo the reason >&2; exit 3");
  const auto result = outcome();
  ASSERT_TRUE(std::holds_alternative<Crashed>(result));
  EXPECT_EQ(std::get<Crashed>(result),
            (Crashed{Crashed::Cause::kExitCode, 3, search::Phase::kMeasure, "the reason"}));
}

TEST_F(CommandBackendTest, LastWordsComeFromStandardOutputWhenThereAreNoOthers) {
  shell("echo the reason; exit 3");
  EXPECT_EQ(std::get<Crashed>(outcome()).last_words, "the reason");
}

TEST_F(CommandBackendTest, ManyLastWordsAreTheLast) {
  shell("i=0; while [ $i -lt 1000 ]; do echo line $i >&2; i=$((i+1)); done; exit 1");
  const auto words = std::get<Crashed>(outcome()).last_words;
  EXPECT_LE(words.size(), 4096u);
  EXPECT_THAT(words, ::testing::EndsWith("line 999"));
}

TEST_F(CommandBackendTest, SignalIsACrash) {
  shell("kill -SEGV $$");
  const auto result = std::get<Crashed>(outcome());
  EXPECT_EQ(result.cause, Crashed::Cause::kSignal);
  EXPECT_EQ(result.code, SIGSEGV);
}

TEST_F(CommandBackendTest, SilentSuccessIsAFailureToLaunch) {
  shell("true");
  EXPECT_THAT(complaint(outcome()), AllOf(HasSubstr("no line is a JSON object with 'time'"),
                                          HasSubstr("source = \"wall-time\"")));
}

TEST_F(CommandBackendTest, HangIsTimedOutAndNothingIsLeft) {
  shell("setsid sleep 1000 & trap '' TERM; sleep 1000");
  problem_.limits.measure = 0.2;
  const auto result = outcome();
  ASSERT_TRUE(std::holds_alternative<TimedOut>(result)) << search::describe(result);
  EXPECT_EQ(std::get<TimedOut>(result).limit_seconds, 0.2);
  EXPECT_EQ(ipc::sweep_orphans({}), 0u);
}

TEST_F(CommandBackendTest, LimitOfTheTrialHoldsOverAllRuns) {
  shell("sleep 0.2; echo '{{\"time\": 1}'");
  command().runs = 1000;
  problem_.limits.trial = 0.5;
  const auto result = outcome();
  ASSERT_TRUE(std::holds_alternative<TimedOut>(result)) << search::describe(result);
  EXPECT_EQ(std::get<TimedOut>(result).limit_seconds, 0.5);
}

TEST_F(CommandBackendTest, GrandchildrenThatOutliveTheCommandAreToldAndKilled) {
  shell("setsid sleep 1000 > /dev/null & echo '{{\"time\": 1}'");
  const auto measured = std::get<Measured>(outcome()).measurement;
  EXPECT_THAT(measured.find("time")->values, ElementsAre(1));
  EXPECT_EQ(measured.condition(search::kLeftRunningCondition), "sleep");
  EXPECT_EQ(ipc::sweep_orphans({}), 0u);
}

TEST_F(CommandBackendTest, ARunThatLeavesNothingIsToldNothingOf) {
  shell("true & wait; echo '{{\"time\": 1}' | cat");
  EXPECT_EQ(std::get<Measured>(outcome()).measurement.condition(search::kLeftRunningCondition), "");
}

// The output's other end stays open: nobody waits for it.
TEST_F(CommandBackendTest, AWriterThatIsLeftEndsWithTheRun) {
  shell("(while :; do echo noise; sleep 0.05; done) & echo '{{\"time\": 1}'");
  const auto measured = std::get<Measured>(outcome()).measurement;
  EXPECT_THAT(measured.find("time")->values, ElementsAre(1));
  EXPECT_EQ(measured.condition(search::kLeftRunningCondition), "sh");
}

TEST_F(CommandBackendTest, AFigureThatWasLeftToOthersIsSaidToBe) {
  shell("(sleep 1000; echo '{{\"time\": 1}') &");
  EXPECT_THAT(complaint(outcome()), AllOf(HasSubstr("no line is a JSON object with 'time'"),
                                          HasSubstr("it left sh running behind its end")));
}

// The shell ends when `cat` has not, and waits for nobody.
TEST_F(CommandBackendTest, WhatIsPrintedRightBehindTheEndIsRead) {
  shell("mkfifo p; cat < p & exec > p; echo '{{\"time\": 1}'");
  const auto measured = std::get<Measured>(outcome()).measurement;
  EXPECT_THAT(measured.find("time")->values, ElementsAre(1));
  EXPECT_EQ(measured.condition(search::kLeftRunningCondition), "");
}

TEST_F(CommandBackendTest, FloodIsCutOffAndSaid) {
  command().argv = {"python3", "-c", "import sys\nwhile True: sys.stdout.write('x' * 65536)"};
  problem_.limits.output_bytes = 100000;
  const auto result = outcome();
  ASSERT_TRUE(std::holds_alternative<Crashed>(result)) << search::describe(result);
  EXPECT_THAT(search::describe(result),
              HasSubstr("cut off at limits.output, 100000 bytes; --set limits.output=400000"));
}

// A stage's figure, before the output ends.
TEST_F(CommandBackendTest, NoFigureIsReadOfOutputThatIsCutOff) {
  const std::string flood = "head -c 2000 /dev/zero | tr '\\0' x; echo; ";
  problem_.limits.output_bytes = 1000;
  shell("echo '{{\"time\": 1}'; " + flood + "echo '{{\"time\": 100}'");
  EXPECT_THAT(complaint(outcome()), HasSubstr("limits.output, 1000 bytes; --set limits.output"));
  shell("echo '{{\"error\": \"of a stage\"}'; " + flood + "echo '{{\"time\": 100}'");
  EXPECT_THAT(complaint(outcome()), HasSubstr("limits.output"));
  command().figures = {{FigureRule::Source::kRegex, "took ([0-9]+)"}};
  shell("echo took 1; " + flood + "echo took 100");
  EXPECT_THAT(complaint(outcome()), HasSubstr("limits.output"));
  problem_.limits.output_bytes = 8;
  shell("echo took 123456");
  EXPECT_THAT(complaint(outcome()), HasSubstr("limits.output")) << "and not 123";
  problem_.limits.output_bytes = 12;
  EXPECT_THAT(times(), ElementsAre(123456));
}

// Neither the wall time nor what is said on standard error.
TEST_F(CommandBackendTest, AFigureThatIsNotOfTheOutputThatIsCutOffIsRead) {
  const std::string flood = "head -c 2000 /dev/zero";
  problem_.limits.output_bytes = 1000;
  shell(flood + " >&2; echo '{{\"time\": 1}'");
  EXPECT_THAT(times(), ElementsAre(1));
  shell(flood);
  command().figures = {{FigureRule::Source::kWallTime, ""}};
  EXPECT_THAT(times(), ElementsAre(::testing::Gt(0)));
}

TEST_F(CommandBackendTest, MemoryIsLimited) {
  command().argv = {"python3", "-c", "x = bytearray(1 << 30)"};
  problem_.limits.memory_bytes = 256 << 20;
  const auto result = outcome();
  ASSERT_TRUE(std::holds_alternative<Crashed>(result)) << search::describe(result);
  EXPECT_THAT(std::get<Crashed>(result).last_words, HasSubstr("MemoryError"));
}

TEST_F(CommandBackendTest, MissingProgramIsAFailureToLaunch) {
  command().argv = {"no-such-program"};
  EXPECT_THAT(complaint(outcome()), HasSubstr("cannot start 'no-such-program'"));
}

TEST_F(CommandBackendTest, WallTimeNeedsNoOutput) {
  shell("exit 0");
  command().figures = {{FigureRule::Source::kWallTime, ""}};
  EXPECT_THAT(times(), ElementsAre(::testing::Gt(0)));
}

TEST_F(CommandBackendTest, OneMeasurePhaseARun) {
  shell("echo '{{\"time\": 1}'");
  command().runs = 3;
  outcome();
  EXPECT_THAT(progress_.phases, ElementsAre(search::Phase::kMeasure, search::Phase::kMeasure,
                                            search::Phase::kMeasure));
}

TEST_F(CommandBackendTest, MistakesAreRefusedAtOnce) {
  EXPECT_THAT(refusal(), HasSubstr("names no program"));
  command().argv = {"run", "{TIEL}"};
  EXPECT_THAT(refusal(), HasSubstr("{TIEL}"));
  command().argv = {"run"};
  command().environment = {{"X", "{Y}"}};
  EXPECT_THAT(refusal(), HasSubstr("{Y}"));
  command().environment.clear();
  command().runs = -1;
  EXPECT_THAT(refusal(), HasSubstr("runs"));
  command().mode = search::CommandBackend::Mode::kServer;
  command().figures = {{FigureRule::Source::kRegex, "(.*)"}};
  EXPECT_THAT(refusal(), HasSubstr("a server answers in JSON"));
}

}  // namespace
}  // namespace nightshift::evaluator
