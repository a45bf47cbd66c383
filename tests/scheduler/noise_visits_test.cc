#include "scheduler/noise_visits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/errors.h"
#include "tests/fakes/visit_driver.h"

namespace nightshift::scheduler {
namespace {

using fakes::VisitDriver;

TEST(NoiseVisits, EveryFourthIsInAFreshProcessAndTheFirstOneDoesNotCount) {
  VisitDriver d(fakes::command_problem(2), 2);
  int made = 0;
  d.figure = [&](int x, std::size_t) {
    EXPECT_EQ(x, -1) << "only the baseline is measured";
    return made++ < 2 ? 50.0 : 1.0;
  };
  NoiseVisits plan(d.problem, d.pool.devices(), 10);
  VisitRunner runner = d.runner({-1});
  ASSERT_TRUE(runner.run(plan));
  ASSERT_EQ(plan.series().size(), 2U);
  for (const NoiseVisits::Series& s : plan.series()) {
    ASSERT_EQ(s.visits.size(), 10U);
    for (std::size_t i = 0; i < 10; ++i) {
      EXPECT_EQ(s.visits[i].fresh_process, i % 4 == 0);
      EXPECT_EQ(s.visits[i].value, 1.0);
      EXPECT_EQ(s.visits[i].samples.size(), 5U);
      EXPECT_LT(s.visits[i].started, s.visits[i].finished);
    }
  }
}

TEST(NoiseVisits, ABaselineThatFailsIsAnError) {
  VisitDriver d(fakes::command_problem(2));
  d.failures[{-1, 1}] = search::LaunchFailed{"no such file"};
  NoiseVisits plan(d.problem, d.pool.devices(), 4);
  VisitRunner runner = d.runner({-1});
  EXPECT_THROW(runner.run(plan), StudyError);
}

TEST(NoiseVisits, ALostDeviceIsReportedAndTheOthersGoOn) {
  VisitDriver d(fakes::command_problem(2), 2);
  d.pool.injected.push_back(DeviceFailed{1, "unplugged"});
  NoiseVisits plan(d.problem, d.pool.devices(), 6);
  VisitRunner runner = d.runner({-1});
  ASSERT_TRUE(runner.run(plan));
  EXPECT_EQ(plan.series()[0].visits.size(), 6U);
  EXPECT_THAT(plan.series()[1].lost, ::testing::HasSubstr("unplugged"));
}

}  // namespace
}  // namespace nightshift::scheduler
