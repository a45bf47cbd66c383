// Commands that misbehave, run by the real evaluator program: whatever they do, the evaluator
// survives it, the outcome is typed, the next trial is unharmed and nothing is left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "pool_driver.h"
#include "residue.h"
#include "search/figures/left_running.h"
#include "tests/fakes/paths.h"

namespace nightshift::puzzles {
namespace {

using search::Crashed;
using search::TrialOutcome;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kScript = R"(
case $1 in
  segfault) kill -SEGV $$ ;;
  abort) echo "everything is wrong" >&2; kill -ABRT $$ ;;
  sigkill) kill -KILL $$ ;;
  silent) exit 0 ;;
  exit-3) echo "three" >&2; exit 3 ;;
  hang) sleep 1000 ;;
  ignore-sigterm) trap '' TERM INT HUP; while :; do sleep 1000; done ;;
  grandchild) sleep 1000 & ;;
  daemon) setsid sh -c 'sleep 1000 & sleep 1000' > /dev/null 2>&1 & ;;
  daemon-and-exit) setsid sh -c 'trap "" TERM; sleep 1000' & exit 3 ;;
  flood) head -c 20000000 /dev/zero; head -c 20000000 /dev/zero >&2; exit 3 ;;
  eat-memory) head -c 1000000000 /dev/zero | tail > /dev/null || exit 7 ;;
  no-number) echo '{"time": "soon"}'; exit 0 ;;
  half) printf '{"time": 1'; exit 0 ;;
  garbage) head -c 1000 /dev/urandom; exit 0 ;;
esac
echo '{"time": 1.5}'
)";

search::Problem command_problem(const std::string& folder) {
  search::Problem problem;
  problem.name = "command";
  search::Parameter parameter;
  parameter.name = "puzzle";
  parameter.type = search::ParameterType::kString;
  parameter.values = {std::string("good")};
  problem.parameters = {parameter};
  const std::string script = folder + "/puzzle.sh";
  std::ofstream(script) << kScript;
  search::CommandBackend command;
  command.argv = {"/bin/sh", script, "{puzzle}"};
  command.directory = folder;
  command.figures = {search::FigureRule{}};
  command.runs = 1;
  problem.backend = std::move(command);
  return problem;
}

search::Configuration named(const std::string& puzzle) {
  return search::Configuration({{"puzzle", puzzle}});
}

void expect_good(const TrialOutcome& outcome) {
  const auto* measured = std::get_if<search::Measured>(&outcome);
  ASSERT_NE(measured, nullptr) << search::describe(outcome);
  const std::vector<search::Samples> expected{{"time", {1.5}}};
  EXPECT_EQ(measured->measurement.figures, expected);
}

using Check = std::function<void(const TrialOutcome&)>;

Check good_beside(const std::string& process) {
  return [=](const TrialOutcome& outcome) {
    expect_good(outcome);
    const auto* measured = std::get_if<search::Measured>(&outcome);
    if (measured == nullptr) return;
    EXPECT_THAT(search::left_running_in(measured->measurement), ElementsAre(process));
  };
}

Check crashed(Crashed::Cause cause, int code, const std::string& words = "") {
  return [=](const TrialOutcome& outcome) {
    const auto* crash = std::get_if<Crashed>(&outcome);
    ASSERT_NE(crash, nullptr) << search::describe(outcome);
    EXPECT_EQ(crash->cause, cause);
    EXPECT_EQ(crash->code, code);
    EXPECT_EQ(crash->phase, search::Phase::kMeasure);
    EXPECT_THAT(crash->last_words, HasSubstr(words));
    EXPECT_LE(crash->last_words.size(), 4096U);
  };
}
Check by_signal(int signal, const std::string& words = "") {
  return crashed(Crashed::Cause::kSignal, signal, words);
}
Check by_exit(int code, const std::string& words = "") {
  return crashed(Crashed::Cause::kExitCode, code, words);
}

void launch_failed(const TrialOutcome& outcome) {
  EXPECT_TRUE(std::holds_alternative<search::LaunchFailed>(outcome)) << search::describe(outcome);
}

void timed_out(const TrialOutcome& outcome) {
  const auto* late = std::get_if<search::TimedOut>(&outcome);
  ASSERT_NE(late, nullptr) << search::describe(outcome);
  EXPECT_EQ(late->phase, search::Phase::kMeasure);
  EXPECT_EQ(late->limit_seconds, 1);
}

struct Case {
  std::string puzzle;
  Check check;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.puzzle; }

std::string name_of_case(const ::testing::TestParamInfo<Case>& info) {
  std::string name = info.param.puzzle;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class CommandPuzzle : public ::testing::TestWithParam<Case> {};

TEST_P(CommandPuzzle, HasItsOutcomeHarmsNoOtherTrialAndLeavesNothing) {
  const Residue residue;
  const TemporaryFolder folder;
  search::Problem problem = command_problem(folder.path());
  const std::string& which = GetParam().puzzle;
  if (which == "hang" || which == "ignore-sigterm") problem.limits.measure = 1;
  if (which == "eat-memory") problem.limits.memory_bytes = 256 << 20;
  PoolDriver::Options options;
  options.program = testing_paths::program("nightshift-evaluator");
  PoolDriver driver(problem, options);

  expect_good(driver.measure(named("good")).report.outcome);
  GetParam().check(driver.measure(named(which)).report.outcome);
  const scheduler::JobEnded next = driver.measure(named("good"));
  expect_good(next.report.outcome);
  EXPECT_FALSE(next.fresh_process) << "a command must not bring its evaluator down";

  driver.close();
  EXPECT_THAT(driver.surprises(), IsEmpty());
  EXPECT_THAT(residue.processes(), IsEmpty());
  EXPECT_EQ(residue.extra_descriptors(), 0);
  EXPECT_EQ(residue.memory_files(), 0);
  EXPECT_TRUE(std::filesystem::is_empty(driver.scratch()));
}

INSTANTIATE_TEST_SUITE_P(
    All, CommandPuzzle,
    ::testing::Values(Case{"good", expect_good}, Case{"segfault", by_signal(SIGSEGV)},
                      Case{"abort", by_signal(SIGABRT, "everything is wrong")},
                      Case{"sigkill", by_signal(SIGKILL)}, Case{"silent", launch_failed},
                      Case{"exit-3", by_exit(3, "three")}, Case{"hang", timed_out},
                      Case{"ignore-sigterm", timed_out}, Case{"grandchild", good_beside("sleep")},
                      Case{"daemon", good_beside("sh")}, Case{"daemon-and-exit", by_exit(3)},
                      Case{"flood", by_exit(3)}, Case{"eat-memory", by_exit(7, "memory exhausted")},
                      Case{"no-number", launch_failed}, Case{"half", launch_failed},
                      Case{"garbage", launch_failed}),
    name_of_case);

}  // namespace
}  // namespace nightshift::puzzles
