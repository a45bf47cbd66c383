#include "scheduler/study/time/runs_by_time.h"

#include <gtest/gtest.h>

#include <string>

#include "search/problem/runs_by_time.h"

namespace nightshift::scheduler {
namespace {

search::Problem of_programs(double max_seconds) {
  search::Problem problem;
  search::CommandBackend command;
  command.runs = 0;
  problem.backend = command;
  problem.sampling.max_seconds = max_seconds;
  return problem;
}

void learn(RunsByTime& of, double seconds, const std::string& runs) {
  search::Measurement measurement;
  measurement.conditions = {{search::kRunsCondition, runs}};
  of.learn(measurement, seconds);
}

int count_after(const search::Problem& problem, double seconds, const std::string& runs) {
  RunsByTime of(problem);
  EXPECT_EQ(of.count(), 0) << "nothing is known yet";
  learn(of, seconds, runs);
  return of.count();
}

TEST(RunsByTime, AreAsManyAsFitOnceAtLeastAndFiveTimesAtMost) {
  const search::Problem problem = of_programs(1);
  EXPECT_EQ(count_after(problem, 9, "3"), 1) << "a run takes three seconds";
  EXPECT_EQ(count_after(problem, 1.2, "3"), 2);
  EXPECT_EQ(count_after(problem, 0.1, "5"), 5);
  EXPECT_EQ(count_after(problem, 0, "5"), 5);
}

TEST(RunsByTime, TheFirstBaselineThatWasMeasuredTells) {
  const search::Problem problem = of_programs(1);
  RunsByTime runs(problem);
  learn(runs, 1, "");
  learn(runs, 1, "many");
  EXPECT_EQ(runs.count(), 0);
  EXPECT_EQ(runs.share(), 1);
  learn(runs, 1.5, "3");
  EXPECT_DOUBLE_EQ(runs.share(), 2.0 / 3);
  learn(runs, 0.1, "5");
  EXPECT_EQ(runs.count(), 2);
}

TEST(RunsByTime, WhoeverSaysANumberHasIt) {
  search::Problem problem = of_programs(1);
  std::get<search::CommandBackend>(problem.backend).runs = 5;
  EXPECT_EQ(count_after(problem, 9, "3"), 0);
  problem.backend = search::HostBackend{};
  EXPECT_EQ(count_after(problem, 9, "3"), 0);
}

}  // namespace
}  // namespace nightshift::scheduler
