#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "evaluator/cuda/launch/launch_plan.h"
#include "problems/problem_file.h"
#include "search/expression.h"
#include "tests/fakes/paths.h"

// Which launches begin before the launch before them has ended.
namespace nightshift::evaluator::cuda {
namespace {

using ::testing::ElementsAre;

// The backward pass of the catalogue, whose second launch is programmatic where FINISH_LAUNCH says
// so, and its first where `first` is.
class ProgrammaticPlan : public ::testing::Test {
 protected:
  CasePlan plan(const std::string& finish, const MadeLaunches& made = {}, int architecture = 90) {
    search::Configuration configuration = search::resolved(problem_, {});
    configuration.set("FINISH_LAUNCH", finish);
    return plan_case(cuda_, 0, configuration, {"GPU", architecture, 132}, made);
  }
  static std::vector<bool> overlaps(const CasePlan& plan) {
    std::vector<bool> result;
    for (const PlannedLaunch& launch : plan.launches) result.push_back(launch.programmatic);
    return result;
  }

  search::Problem problem_ =
      problems::read_problem(testing_paths::source("kernels/cuda/rmsnorm_backward/problem.toml"));
  search::CudaBackend& cuda_ = std::get<search::CudaBackend>(problem_.backend);
};

TEST_F(ProgrammaticPlan, IsAsTheConfigurationSays) {
  EXPECT_THAT(overlaps(plan("in_order")), ElementsAre(false, false));
  EXPECT_THAT(overlaps(plan("programmatic")), ElementsAre(false, true));
  EXPECT_NE(text_of(plan("in_order")), text_of(plan("programmatic")));
}

TEST_F(ProgrammaticPlan, AnExecutionWaitsForTheOneBefore) {
  cuda_.launches[0].programmatic = search::Expression::parse("1");
  EXPECT_THAT(overlaps(plan("programmatic")), ElementsAre(false, true));
  // Also where the first launch is another one.
  cuda_.launches[0].when = search::Expression::parse("0");
  EXPECT_THAT(overlaps(plan("programmatic")), ElementsAre(false));
}

TEST_F(ProgrammaticPlan, EarlierDevicesHaveNone) {
  EXPECT_THAT(overlaps(plan("programmatic", {}, 89)), ElementsAre(false, false));
}

TEST_F(ProgrammaticPlan, ACompilersWordComesFirst) {
  const std::string names[] = {cuda_.launches[0].kernel, cuda_.launches[1].kernel};
  const auto made = [&](const std::string& told) {
    return read_made_launches(
        R"({"launches": {")" + names[0] + R"(": {}, ")" + names[1] + R"(": {)" + told + "}}}",
        cuda_);
  };
  EXPECT_THAT(overlaps(plan("programmatic", made(R"("programmatic": false)"))),
              ElementsAre(false, false));
  EXPECT_THAT(overlaps(plan("in_order", made(R"("programmatic": true)"))),
              ElementsAre(false, true));
  EXPECT_THAT(overlaps(plan("programmatic", made(""))), ElementsAre(false, true));
}

}  // namespace
}  // namespace nightshift::evaluator::cuda
