// Each kind of misbehaviour inside a trial: its typed outcome, an unharmed next trial, and nothing
// left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <string>

#include "pool_driver.h"
#include "residue.h"

namespace nightshift::puzzles {
namespace {

using scheduler::JobEnded;
using search::Crashed;
using search::Phase;
using search::TrialOutcome;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void expect_good(const JobEnded& done, int n) {
  const auto* measured = std::get_if<search::Measured>(&done.report.outcome);
  ASSERT_NE(measured, nullptr) << search::describe(done.report.outcome);
  const std::vector<search::Samples> expected{{"time", {n + 0.25, n + 0.5}}};
  EXPECT_EQ(measured->measurement.figures, expected);
}

void expect_nothing_left(const Residue& residue, const PoolDriver& driver) {
  EXPECT_THAT(residue.processes(), IsEmpty());
  EXPECT_EQ(residue.extra_descriptors(), 0);
  EXPECT_EQ(residue.memory_files(), 0);
  EXPECT_FALSE(residue.shared_memory_changed());
  EXPECT_TRUE(std::filesystem::is_empty(driver.scratch()));
}

using Check = std::function<void(const JobEnded&)>;

Check good() {
  return [](const JobEnded& done) { expect_good(done, 5); };
}

Check crashed(Crashed::Cause cause, int code, Phase phase, const std::string& words = "") {
  return [=](const JobEnded& done) {
    const auto* crash = std::get_if<Crashed>(&done.report.outcome);
    ASSERT_NE(crash, nullptr) << search::describe(done.report.outcome);
    EXPECT_EQ(crash->cause, cause);
    EXPECT_EQ(crash->code, code);
    EXPECT_EQ(search::name_of(crash->phase), search::name_of(phase));
    EXPECT_THAT(crash->last_words, HasSubstr(words));
    EXPECT_LE(crash->last_words.size(), 4096U);
    EXPECT_EQ(done.killed_by_others, cause == Crashed::Cause::kSignal && code == SIGKILL);
  };
}

Check by_signal(int signal, Phase phase, const std::string& words = "") {
  return crashed(Crashed::Cause::kSignal, signal, phase, words);
}
Check by_exit(int code, const std::string& words = "") {
  return crashed(Crashed::Cause::kExitCode, code, Phase::kLoad, words);
}
Check corrupt(const std::string& words) {
  return crashed(Crashed::Cause::kCorruptReply, 0, Phase::kLoad, words);
}

Check timed_out(bool progressing) {
  return [=](const JobEnded& done) {
    const auto* late = std::get_if<search::TimedOut>(&done.report.outcome);
    ASSERT_NE(late, nullptr) << search::describe(done.report.outcome);
    EXPECT_EQ(late->phase, Phase::kVerify);
    EXPECT_EQ(late->limit_seconds, 0.25);
    EXPECT_EQ(late->progressing, progressing);
  };
}

template <class Outcome>
Check ends_as(Outcome expected) {
  return [=](const JobEnded& done) { EXPECT_EQ(done.report.outcome, TrialOutcome(expected)); };
}

struct Case {
  std::string puzzle;
  Check check;
  bool evaluator_survives = false;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.puzzle; }

std::vector<Case> cases() {
  const std::string cut(100, '#');
  return {
      {"good", good(), true},
      {"segfault", by_signal(SIGSEGV, Phase::kLoad, "about to touch page zero")},
      {"abort", by_signal(SIGABRT, Phase::kLoad, "assertion failed")},
      {"exit-0", by_exit(0)},
      {"exit-3", by_exit(3, "three")},
      {"hang", timed_out(false)},
      {"ignore-sigterm", timed_out(false)},
      {"slow", timed_out(true)},
      {"ring-and-hang", timed_out(false)},
      {"grandchild", good(), true},
      {"grandchild-session", good(), true},
      {"grandchild-daemon", good(), true},
      {"grandchild-and-exit", by_exit(3)},
      {"close-descriptors", good()},
      {"close-descriptors-and-hang", timed_out(false)},
      {"overwrite-descriptors", good()},
      {"close-output", good()},
      {"overwrite-output", good()},
      {"eat-memory", by_signal(SIGABRT, Phase::kLoad)},
      {"flood", good(), true},
      {"flood-and-exit", by_exit(3, cut)},
      {"throw", ends_as(search::LaunchFailed{"this candidate cannot be launched"}), true},
      {"wrong-answer", ends_as(search::WrongResult{"c", 17, 2.5, 2.0, 0.5, 0.001}), true},
      {"reply-garbage", corrupt("")},
      {"reply-half", corrupt("checksum")},
      {"reply-nonsense", corrupt("")},
      {"reply-twice", good()},
      {"reply-twice-at-once", corrupt("more than one reply")},
      {"reply-other-trial", corrupt("trial")},
      {"reply-other-epoch", corrupt("incarnation")},
      {"reply-other-request", corrupt("request")},
      {"reply-other-kind", corrupt("kind")},
      {"crash-after-reply", good()},
      {"sigkill-load", by_signal(SIGKILL, Phase::kLoad)},
      {"sigkill-prepare", by_signal(SIGKILL, Phase::kPrepare)},
      {"sigkill-verify", by_signal(SIGKILL, Phase::kVerify)},
      {"sigkill-warm-up", by_signal(SIGKILL, Phase::kWarmUp)},
      {"sigkill-measure", by_signal(SIGKILL, Phase::kMeasure)},
      {"sigkill-reply", by_signal(SIGKILL, Phase::kReply)},
      {"sigkill-shutdown", good(), true},
      {"hang-at-exit", good(), true},
  };
}

class Puzzle : public ::testing::TestWithParam<std::tuple<Case, int>> {};

TEST_P(Puzzle, HasItsOutcomeHarmsNoOtherTrialAndLeavesNothing) {
  const auto& [which, hot_spares] = GetParam();
  const Residue residue;
  search::Problem problem = puzzle_problem();
  problem.limits.verify = 0.25;  // marked by those puzzles only that overrun it
  PoolDriver::Options options;
  options.hot_spares = hot_spares;
  PoolDriver driver(problem, options);

  expect_good(driver.measure(puzzle("good", 1)), 1);
  which.check(driver.measure(puzzle(which.puzzle, 5)));
  const JobEnded next = driver.measure(puzzle("good", 2));
  expect_good(next, 2);
  EXPECT_EQ(next.fresh_process, !which.evaluator_survives);
  expect_good(driver.measure(puzzle("good", 3)), 3);

  driver.close();
  EXPECT_THAT(driver.surprises(), IsEmpty());
  expect_nothing_left(residue, driver);
}

// The same as the very first trial of an evaluator.
TEST_P(Puzzle, HasItsOutcomeInAFreshProcessToo) {
  const auto& [which, hot_spares] = GetParam();
  search::Problem problem = puzzle_problem();
  problem.limits.verify = 0.25;
  PoolDriver::Options options;
  options.hot_spares = hot_spares;
  PoolDriver driver(problem, options);
  const JobEnded done = driver.measure(puzzle(which.puzzle, 5), /*fresh_process=*/true);
  EXPECT_TRUE(done.fresh_process);
  which.check(done);
}

std::string name_of_case(const ::testing::TestParamInfo<Puzzle::ParamType>& info) {
  std::string name =
      std::get<0>(info.param).puzzle + (std::get<1>(info.param) > 0 ? "_spare" : "_alone");
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Puzzle,
                         ::testing::Combine(::testing::ValuesIn(cases()), ::testing::Values(0, 1)),
                         name_of_case);

// The reply is good; that its sender never takes the next request costs that one time, not its
// outcome.
TEST(PuzzleBetweenTrials, HangAfterAReplyIsNotChargedToTheNextTrial) {
  const Residue residue;
  search::Problem problem = puzzle_problem();
  problem.limits.prepare = 0.5;
  PoolDriver driver(problem, {});
  expect_good(driver.measure(puzzle("hang-after-reply", 5)), 5);
  const JobEnded next = driver.measure(puzzle("good", 2));
  expect_good(next, 2);
  EXPECT_TRUE(next.fresh_process);
  driver.close();
  EXPECT_THAT(driver.surprises(), IsEmpty());
  expect_nothing_left(residue, driver);
}

TEST(PuzzleBetweenTrials, ACrashAfterAReplyIsNeverChargedToTheNextTrial) {
  const Residue residue;
  PoolDriver driver(puzzle_problem(), {});
  for (int i = 0; i < 50; ++i) {
    expect_good(driver.measure(puzzle("crash-after-reply", i)), i);
    expect_good(driver.measure(puzzle("good", i)), i);
  }
  driver.close();
  EXPECT_THAT(driver.surprises(), IsEmpty());
  expect_nothing_left(residue, driver);
}

}  // namespace

}  // namespace nightshift::puzzles
