#include "scheduler/noise_evaluations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/errors.h"
#include "tests/fakes/evaluation_driver.h"

namespace nightshift::scheduler {
namespace {

using fakes::EvaluationDriver;

TEST(NoiseEvaluations, EveryFourthIsInAFreshProcessAndTheFirstOneDoesNotCount) {
  EvaluationDriver d(fakes::command_problem(2), 2);
  int made = 0;
  d.figure = [&](int x, std::size_t) {
    EXPECT_EQ(x, -1) << "only the baseline is measured";
    return made++ < 2 ? 50.0 : 1.0;
  };
  NoiseEvaluations plan(d.problem, d.pool.devices(), 10);
  EvaluationLoop runner = d.runner({-1});
  ASSERT_TRUE(runner.run(plan));
  ASSERT_EQ(plan.series().size(), 2U);
  for (const NoiseEvaluations::Series& s : plan.series()) {
    ASSERT_EQ(s.evaluations.size(), 10U);
    for (std::size_t i = 0; i < 10; ++i) {
      EXPECT_EQ(s.evaluations[i].fresh_process, i % 4 == 0);
      EXPECT_EQ(s.evaluations[i].value, 1.0);
      EXPECT_EQ(s.evaluations[i].samples.size(), 5U);
      EXPECT_LT(s.evaluations[i].started, s.evaluations[i].finished);
    }
  }
}

TEST(NoiseEvaluations, ABaselineThatFailsIsAnError) {
  EvaluationDriver d(fakes::command_problem(2));
  d.failures[{-1, 1}] = search::LaunchFailed{"no such file"};
  NoiseEvaluations plan(d.problem, d.pool.devices(), 4);
  EvaluationLoop runner = d.runner({-1});
  EXPECT_THROW(runner.run(plan), StudyError);
}

TEST(NoiseEvaluations, ALostDeviceIsReportedAndTheOthersGoOn) {
  EvaluationDriver d(fakes::command_problem(2), 2);
  d.pool.injected.push_back(DeviceFailed{1, "unplugged"});
  NoiseEvaluations plan(d.problem, d.pool.devices(), 6);
  EvaluationLoop runner = d.runner({-1});
  ASSERT_TRUE(runner.run(plan));
  EXPECT_EQ(plan.series()[0].evaluations.size(), 6U);
  EXPECT_THAT(plan.series()[1].lost, ::testing::HasSubstr("unplugged"));
}

}  // namespace
}  // namespace nightshift::scheduler
