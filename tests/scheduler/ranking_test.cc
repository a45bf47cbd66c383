#include "scheduler/ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "scheduler/errors.h"
#include "tests/fakes/evaluation_driver.h"

namespace nightshift::scheduler {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The baseline and x = 1, 2, ... by their times, with lognormal noise and a level for each device.
struct Field {
  explicit Field(std::vector<double> times_, double noise = 0.005, int devices = 1,
                 std::uint64_t seed_ = 1,
                 const search::Problem& problem = fakes::command_problem(8))
      : driver(problem, devices, search::needs_build(problem) ? 1 : 0),
        times(std::move(times_)),
        rng(5),
        seed(seed_) {
    driver.figure = [this, noise](int x, std::size_t device) {
      return times[x < 0 ? 0 : static_cast<std::size_t>(x)] *
             (1 + 0.1 * static_cast<double>(device)) * std::exp(noise * rng.normal());
    };
  }
  bool run() {
    std::vector<std::string> names;
    std::vector<int> contenders;
    for (std::size_t i = 0; i < times.size(); ++i) {
      names.push_back("number " + std::to_string(i));
      contenders.push_back(i == 0 ? -1 : static_cast<int>(i));
    }
    if (ContenderFigures::needs_reference(driver.problem)) contenders.push_back(-1);
    ranking.emplace(driver.problem, driver.pool.devices(), names, seed);
    EvaluationLoop runner = driver.runner(contenders);
    return runner.build() && runner.run(*ranking);
  }
  std::vector<std::size_t> ranks() const {  // in the order of the contenders
    std::vector<std::size_t> all(times.size());
    for (const search::Standing& s : search::standings_of(
             ranking->pairs(), times.size(), driver.problem.acceptance.min_improvement)) {
      all[s.contender] = s.rank;
    }
    return all;
  }

  fakes::EvaluationDriver driver;
  std::vector<double> times;
  base::Rng rng;
  std::uint64_t seed;
  std::optional<Ranking> ranking;
};

TEST(Ranking, OrdersSeveralOnEveryDevice) {
  Field field({1.0, 0.9, 1.1, 0.9}, 0.005, 2);
  ASSERT_TRUE(field.run());
  EXPECT_EQ(field.ranking->undecided(), "");
  EXPECT_THAT(field.ranks(), ElementsAre(3, 1, 4, 1));
  EXPECT_TRUE(field.ranking->contending().empty());
  for (const search::RankedPair& p : field.ranking->pairs()) {
    EXPECT_EQ(p.verdict->devices.size(), 2U);
  }
}

TEST(Ranking, WhatIsDecidedIsMeasuredNoFurther) {
  Field field({1.0, 1.0, 2.0}, 0.02);
  field.driver.problem.acceptance.min_improvement = 0.0001;
  ASSERT_TRUE(field.run());
  std::map<std::size_t, int> evaluations;
  for (const Ranking::Record& r : field.ranking->records()) ++evaluations[r.contender];
  EXPECT_EQ(evaluations[0], 128);
  EXPECT_EQ(evaluations[1], 128);
  EXPECT_EQ(evaluations[2], 8);
}

TEST(Ranking, RoundsHaveEachOnceInAnOrderOfTheirOwn) {
  Field field({1.0, 1.0, 1.0}, 0.05);
  ASSERT_TRUE(field.run());
  const auto& records = field.ranking->records();
  ASSERT_EQ(records.size() % 3, 0U);
  std::set<std::vector<std::size_t>> orders;
  for (std::size_t i = 0; i < records.size(); i += 3) {
    std::vector<std::size_t> order;
    for (std::size_t j = i; j < i + 3; ++j) {
      EXPECT_EQ(records[j].round, records[i].round);
      EXPECT_EQ(records[j].fresh_process, records[j].round % 4 == 0);
      order.push_back(records[j].contender);
    }
    orders.insert(order);
    EXPECT_THAT(order, ::testing::UnorderedElementsAre(0, 1, 2));
  }
  EXPECT_EQ(orders.size(), 6U);
}

// Pairs that share processes are no independent ones.
TEST(Ranking, EachPairOfKernelsOfAHostHasProcessesOfItsOwn) {
  Field field({1.0, 1.0}, 0.05, 1, 1, fakes::host_problem(4));
  ASSERT_TRUE(field.run());
  const auto& records = field.ranking->records();
  ASSERT_GT(records.size(), 8U);
  EXPECT_TRUE(std::ranges::all_of(records, &Ranking::Record::fresh_process));
}

TEST(Ranking, ASeedRepeatsTheOrder) {
  const auto order = [](std::uint64_t seed) {
    Field field({1.0, 1.0, 1.0}, 0.05, 1, seed);
    field.run();
    std::vector<std::size_t> all;
    for (const auto& r : field.ranking->records()) all.push_back(r.contender);
    return all;
  };
  EXPECT_EQ(order(7), order(7));
  EXPECT_NE(order(7), order(8));
}

TEST(Ranking, TheFirstEvaluationOfEachDoesNotCount) {
  Field field({1.0, 1.0, 1.0});
  int evaluations = 0;
  field.driver.figure = [&](int, std::size_t) {
    return evaluations++ < 3 ? 10.0 : std::exp(0.001 * field.rng.normal());
  };
  ASSERT_TRUE(field.run());
  EXPECT_EQ(field.ranking->records().size() + 3, field.driver.pool.measured.size());
  for (const search::RankedPair& p : field.ranking->pairs()) EXPECT_NEAR(p.verdict->ratio, 1, 0.01);
}

TEST(Ranking, WhicheverFailsIsNamed) {
  Field field({1.0, 1.0, 1.0});
  field.driver.failures[{2, 1}] = search::LaunchFailed{"out of paper"};
  try {
    field.run();
    FAIL() << "nothing was thrown";
  } catch (const ContenderFailed& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("number 2 failed"), HasSubstr("out of paper")));
    EXPECT_EQ(e.contender(), 2U);
  }
}

TEST(Ranking, WhicheverIsBeyondALimitIsNamed) {
  Field field({1.0, 1.5, 1.0});
  field.driver.problem.objectives[0].at_most = 1.2;
  try {
    field.run();
    FAIL() << "nothing was thrown";
  } catch (const ContenderFailed& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("number 1 exceeds limit on time"), HasSubstr("fake:0")));
    EXPECT_EQ(e.contender(), 1U);
    EXPECT_THAT(search::describe(e.outcome()), HasSubstr("exceeds limit on time"));
  }
}

TEST(Ranking, ALostDeviceLeavesItUndecided) {
  Field field({1.0, 0.9, 0.8}, 0.01, 2);
  const auto usual = field.driver.pool.on_measure;
  field.driver.pool.on_measure = [&](const Job& order) {
    JobEnded done = usual(order);
    if (order.device == 1) done.report.outcome = search::DeviceLost{"gone"};
    return done;
  };
  ASSERT_TRUE(field.run());
  EXPECT_THAT(field.ranking->undecided(), HasSubstr("was lost"));
}

TEST(Ranking, ADisturbedRoundIsMeasuredAgain) {
  Field field({1.0, 0.9, 0.8}, 0.001);
  const auto usual = field.driver.pool.on_measure;
  field.driver.pool.on_measure = [&](const Job& order) {
    JobEnded done = usual(order);
    if (field.driver.pool.measured.size() == 8) {
      std::get<search::Measured>(done.report.outcome).measurement.disturbance = "throttled";
    }
    return done;
  };
  ASSERT_TRUE(field.run());
  for (const search::RankedPair& p : field.ranking->pairs()) {
    EXPECT_EQ(p.devices.at(0).voided, 1);
    EXPECT_EQ(p.devices.at(0).effects.size(), 8U);
  }
  EXPECT_EQ(field.ranking->records().size(), 27U);
}

TEST(Ranking, RoundsThatAreAllDisturbedSayWhy) {
  Field field({1.0, 0.9, 0.8});
  const auto usual = field.driver.pool.on_measure;
  field.driver.pool.on_measure = [&](const Job& order) {
    JobEnded done = usual(order);
    std::get<search::Measured>(done.report.outcome).measurement.disturbance = "throttled";
    return done;
  };
  ASSERT_TRUE(field.run());
  EXPECT_THAT(field.ranking->undecided(),
              AllOf(HasSubstr("4 of 4 rounds on"), HasSubstr("because throttled")));
}

TEST(Ranking, ChangesAreRelativeToTheBaseline) {
  Field field({1.0, 0.5, 2.0}, 0.001);
  search::Problem& problem = field.driver.problem;
  problem.scalarisation = search::Scalarisation::kEfficiency;
  problem.objectives = {{"time", "ms"}, {"error", ""}};
  problem.objectives[0].role = search::Role::kTime;
  problem.objectives[1].role = search::Role::kAccuracy;
  ASSERT_TRUE(field.run());
  EXPECT_EQ(field.ranking->records().size() + 4, field.driver.pool.measured.size());
}

}  // namespace
}  // namespace nightshift::scheduler
