// Evaluators that do not come up: the device fails with a reason, no trial is charged, nothing is
// left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "pool_driver.h"
#include "residue.h"

namespace nightshift::puzzles {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Case {
  std::string puzzle;
  std::string reason;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.puzzle; }

std::string name_of_case(const ::testing::TestParamInfo<Case>& info) {
  std::string name = info.param.puzzle;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class StartPuzzle : public ::testing::TestWithParam<Case> {};

TEST_P(StartPuzzle, FailsTheDeviceWithAReason) {
  const Residue residue;
  search::Problem problem = puzzle_problem();
  if (GetParam().puzzle == "hang-boot") problem.limits.boot = 0.05;
  if (GetParam().puzzle == "hang-configure") problem.limits.prepare = 0.05;
  PoolDriver::Options options;
  options.arguments = {"--puzzle", GetParam().puzzle};
  PoolDriver driver(problem, options);
  EXPECT_THAT(driver.failure(), HasSubstr(GetParam().reason));
  EXPECT_FALSE(driver.pool().can_measure(0));
  EXPECT_THAT(driver.surprises(), IsEmpty());
  driver.close();
  EXPECT_THAT(residue.processes(), IsEmpty());
  EXPECT_EQ(residue.extra_descriptors(), 0);
  EXPECT_TRUE(std::filesystem::is_empty(driver.scratch()));
}

INSTANTIATE_TEST_SUITE_P(
    All, StartPuzzle,
    ::testing::Values(Case{"exit-boot",
                           "exit code 9 in phase boot; its last words: the driver is too old"},
                      Case{"hang-boot", "no end of phase boot within 0.05 s"},
                      Case{"hang-configure", "no end of phase configure within 0.05 s"},
                      Case{"sigkill-boot", "killed by SIGKILL (9) in phase boot"},
                      Case{"sigkill-ready", "killed by SIGKILL (9) in phase ready"},
                      Case{"sigkill-configure", "killed by SIGKILL (9) in phase configure"},
                      Case{"refuse", "refuses the problem: this device has no tensor cores"}),
    name_of_case);

TEST(StartFailure, IsReportedOnceForEveryDevice) {
  PoolDriver::Options options;
  options.arguments = {"--puzzle", "exit-boot"};
  options.devices = plain_devices(3);
  PoolDriver driver(puzzle_problem(), options);
  for (int i = 0; i < 3; ++i) EXPECT_THAT(driver.failure(), HasSubstr("exit code 9"));
  const auto event =
      driver.pool().wait(std::chrono::steady_clock::now() + std::chrono::milliseconds(20));
  EXPECT_TRUE(std::holds_alternative<scheduler::Nothing>(event));
}

TEST(StartFailure, OfAllBuildersFailsTheDevicesBecauseNothingCanBeBuilt) {
  PoolDriver::Options options;
  options.arguments = {"--puzzle", "refuse-builders"};
  options.builders = 2;
  const int core = scheduler::usable_cores().front();
  options.devices = {{"here", "cpu", "one core", {core}}};
  options.builder_cores = {core};
  PoolDriver driver(puzzle_problem(), options);
  EXPECT_THAT(driver.failure(), HasSubstr("refuses the problem: no compiler"));
}

TEST(StartFailure, ReleasesTheTrialThatWaitsForAFreshProcess) {
  const TemporaryFolder folder;
  const std::string obstacle = folder.path() + "/obstacle";
  PoolDriver::Options options;
  options.arguments = {"--puzzle", "exit-boot-once-there-is:" + obstacle};
  options.hot_spares = 0;
  PoolDriver driver(puzzle_problem(), options);
  driver.measure(puzzle("good"));
  std::ofstream(obstacle) << "here";
  const scheduler::JobEnded done = driver.measure(puzzle("good"), true);
  const auto* lost = std::get_if<search::DeviceLost>(&done.report.outcome);
  ASSERT_NE(lost, nullptr) << search::describe(done.report.outcome);
  EXPECT_THAT(lost->reason, HasSubstr("exit code 9 in phase boot"));
  EXPECT_EQ(driver.failure(), lost->reason);
}

TEST(StartFailure, OfAMissingProgramIsSaidByTheConstructor) {
  PoolDriver::Options options;
  options.program = "/nonexistent/evaluator";
  EXPECT_THROW(PoolDriver(puzzle_problem(), options), std::system_error);
}

}  // namespace
}  // namespace nightshift::puzzles
