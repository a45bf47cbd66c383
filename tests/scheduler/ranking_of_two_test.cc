// Which of two is better: a ranking of two.
#include "scheduler/ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <variant>
#include <vector>

#include "scheduler/errors.h"
#include "search/importance/one_code.h"
#include "tests/fakes/evaluation_driver.h"

namespace nightshift::scheduler {
namespace {

using fakes::EvaluationDriver;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Baseline against x = 1, which takes `ratio` times as long; lognormal noise from evaluation to
// evaluation, and a level of its own for each device.
struct Match {
  Match(double ratio_, double noise_, int devices = 1, std::uint64_t seed_ = 1)
      : driver(fakes::command_problem(4), devices),
        ratio(ratio_),
        noise(noise_),
        rng(seed_),
        seed(seed_) {
    driver.figure = [this](int x, std::size_t device) {
      return (x == 1 ? ratio : 1.0) * (1 + 0.1 * static_cast<double>(device)) *
             std::exp(noise * rng.normal());
    };
  }
  bool run() {
    comparison.emplace(driver.problem, driver.pool.devices(),
                       std::vector<std::string>{"the old one", "the new one"}, seed);
    std::vector<int> contenders{-1, 1};
    if (ContenderFigures::needs_reference(driver.problem)) contenders.push_back(-1);
    EvaluationLoop runner = driver.runner(contenders);
    return runner.run(*comparison);
  }
  search::Verdict verdict() const { return comparison->verdict(); }

  EvaluationDriver driver;
  double ratio, noise;
  base::Rng rng;
  std::uint64_t seed;
  std::optional<Ranking> comparison;
};

template <class Function>
std::string study_error(Function&& f) {
  try {
    f();
  } catch (const StudyError& e) {
    return e.what();
  }
  return "nothing was thrown";
}

// --- Processes that are left running ---

const std::pair<std::string, std::string> kLeftSleep{search::kLeftRunningCondition, "sleep"};

TEST(RankingOfTwo, NobodyIsBetterWhoLeavesWorkRunning) {
  for (const int better : {-1, 1}) {
    Match match(better == 1 ? 0.8 : 1.25, 0.005);
    match.driver.conditions[better] = {kLeftSleep};
    ASSERT_TRUE(match.run());
    EXPECT_FALSE(search::is_accepted(match.verdict()));
    EXPECT_THAT(
        match.comparison->undecided(),
        HasSubstr(better == 1 ? "the new one left sleep running behind its end, which the old"
                              : "the old one left sleep running behind its end, which the"));
  }
}

TEST(RankingOfTwo, WhatBothLeaveRunningOrTheWorseOneIsNoMatter) {
  for (const bool both : {true, false}) {
    Match match(0.8, 0.005);
    match.driver.conditions[-1] = {kLeftSleep};
    if (both) match.driver.conditions[1] = {kLeftSleep};
    ASSERT_TRUE(match.run());
    EXPECT_EQ(match.comparison->undecided(), "");
    EXPECT_TRUE(search::is_accepted(match.verdict()));
    EXPECT_THAT(match.comparison->left_running(0), ElementsAre("sleep"));
  }
}

TEST(RankingOfTwo, TheFirstEvaluationOfEachCppFunctionIsDoubtedAndNoOther) {
  for (const bool is_host : {true, false}) {
    EvaluationDriver driver(is_host ? fakes::host_problem(4) : fakes::command_problem(4), 1, 1);
    driver.figure = [](int x, std::size_t) { return x == 1 ? 0.8 : 1.0; };
    driver.conditions[1] = {{"times on new inputs", "2.5"}};
    int doubted = 0, trusted = 0;
    driver.pool.on_measure = [&, measure = driver.pool.on_measure](const Job& job) {
      ++(job.evaluation().sampling.trust == search::Trust::kNone ? doubted : trusted);
      return measure(job);
    };
    Ranking comparison(driver.problem, driver.pool.devices(), {"a", "b"}, 1);
    EvaluationLoop runner = driver.runner({-1, 1});
    ASSERT_TRUE(runner.build());
    ASSERT_TRUE(runner.run(comparison));
    EXPECT_EQ(doubted, is_host ? 2 : 0);
    EXPECT_GE(trusted, 8);
    EXPECT_EQ(comparison.times_on_new_inputs(0), 0);
    EXPECT_EQ(comparison.times_on_new_inputs(1), 2.5);
  }
}

TEST(RankingOfTwo, TheSameMachineCodeIsSeenToRunAndNotMeasured) {
  for (const bool same : {true, false}) {
    EvaluationDriver driver(fakes::host_problem(4), 2, 1);
    driver.pool.on_build = [&](const Job& order) {
      JobEnded done;
      done.artifact = ipc::Artifact{same ? "code" : fakes::artifact_of(order.build()), 1};
      return done;
    };
    int evaluations = 0, doubted = 0;
    driver.figure = [&](int, std::size_t) {
      ++evaluations;
      return 1.0;
    };
    driver.pool.on_measure = [&, measure = driver.pool.on_measure](const Job& job) {
      doubted += job.evaluation().sampling.trust == search::Trust::kNone ? 1 : 0;
      return measure(job);
    };
    Ranking comparison(driver.problem, driver.pool.devices(), {"a", "b"}, 1);
    EvaluationLoop runner = driver.runner({-1, 1});
    ASSERT_TRUE(runner.build());
    ASSERT_TRUE(runner.run(comparison));
    const search::Verdict verdict = comparison.verdict();
    EXPECT_EQ(comparison.is_same_code(), same);
    EXPECT_EQ(doubted > 0, !same);
    if (!same) {
      EXPECT_GT(comparison.records().size(), 0U);
      continue;
    }
    EXPECT_EQ(evaluations, 2) << "one on each device";
    EXPECT_EQ(search::reason_of(verdict.acceptance), search::one_code_words("both"));
    EXPECT_FALSE(search::is_accepted(verdict));
    EXPECT_EQ(verdict.interval.low, 1);
    EXPECT_EQ(verdict.interval.high, 1);
    EXPECT_TRUE(comparison.records().empty());
  }
}

TEST(RankingOfTwo, TheSameMachineCodeThatFailsIsNoVerdict) {
  EvaluationDriver driver(fakes::host_problem(4), 1, 1);
  driver.pool.on_build = [&](const Job&) {
    JobEnded done;
    done.artifact = ipc::Artifact{"code", 1};
    return done;
  };
  driver.failures[{-1, 1}] = search::WrongResult{};
  Ranking comparison(driver.problem, driver.pool.devices(), {"a", "b"}, 1);
  EvaluationLoop runner = driver.runner({-1, 1});
  ASSERT_TRUE(runner.build());
  EXPECT_THROW(runner.run(comparison), ContenderFailed);
}

TEST(RankingOfTwo, FindsTheBetterOfTwoOnEitherSide) {
  for (const double ratio : {0.97, 1.03}) {
    Match match(ratio, 0.01, 2);
    ASSERT_TRUE(match.run());
    EXPECT_TRUE(search::is_accepted(match.verdict()))
        << search::reason_of(match.verdict().acceptance);
    EXPECT_NEAR(match.verdict().ratio, ratio, 0.01);
    EXPECT_EQ(match.verdict().devices.size(), 2U);
  }
}

TEST(RankingOfTwo, IdenticalOnesDifferNoOftenerThanTheLevel) {
  int differ = 0;
  constexpr int kRuns = 600;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    Match match(1.0, 0.02, 1, seed);
    match.driver.problem.acceptance.level = 0.05;
    match.driver.problem.acceptance.min_improvement = 0;
    match.driver.problem.acceptance.max_pairs = 32;
    ASSERT_TRUE(match.run());
    differ += search::is_accepted(match.verdict()) ? 1 : 0;
  }
  EXPECT_LE(differ, 46);  // 5 % of 600 is 30; above 46 with a chance of one in a thousand
  EXPECT_GE(differ, 12);  // the level is used: a test that never sees anything would be no test
}

TEST(RankingOfTwo, SmallDifferencesEndEarlyWhereTheyCannotMatter) {
  Match match(1.0005, 0.0005);
  match.driver.problem.acceptance.min_improvement = 0.01;
  match.driver.problem.acceptance.level = 1e-6;
  ASSERT_TRUE(match.run());
  EXPECT_FALSE(search::is_accepted(match.verdict()));
  EXPECT_EQ(match.verdict().devices.at(0).pairs, 8);
}

TEST(RankingOfTwo, TheFirstVisitOfEachDoesNotCount) {
  Match match(1.0, 0.001);
  int evaluations = 0;
  match.driver.figure = [&](int, std::size_t) {
    return evaluations++ < 2 ? 10.0 : std::exp(0.001 * match.rng.normal());
  };
  ASSERT_TRUE(match.run());
  EXPECT_NEAR(match.verdict().ratio, 1, 0.01);
  EXPECT_EQ(match.comparison->records().size(), match.driver.pool.measured.size() - 2);
}

TEST(RankingOfTwo, CoinsDecideWhoGoesFirstAndEveryFourthPairIsInFreshProcesses) {
  Match match(1.0, 0.05);
  ASSERT_TRUE(match.run());
  const auto& records = match.comparison->records();
  ASSERT_EQ(records.size() % 2, 0U);
  int second_first = 0;
  for (std::size_t i = 0; i < records.size(); i += 2) {
    EXPECT_NE(records[i].contender, records[i + 1].contender);
    EXPECT_EQ(records[i].round, records[i + 1].round);
    EXPECT_EQ(records[i].fresh_process, records[i].round % 4 == 0);
    second_first += records[i].contender == 1U ? 1 : 0;
  }
  const int pairs = static_cast<int>(records.size() / 2);
  EXPECT_EQ(pairs, 128);
  EXPECT_GT(second_first, pairs / 4);
  EXPECT_LT(second_first, pairs * 3 / 4);
}

TEST(RankingOfTwo, ASeedRepeatsTheOrder) {
  const auto order = [](std::uint64_t seed) {
    Match match(1.0, 0.05, 1, 3);
    match.seed = seed;
    match.run();
    std::string text;
    for (const auto& r : match.comparison->records()) text += r.contender == 0 ? 'A' : 'B';
    return text;
  };
  EXPECT_EQ(order(7), order(7));
  EXPECT_NE(order(7), order(8));
}

TEST(RankingOfTwo, WhicheverFailsIsNamed) {
  for (const int x : {-1, 1}) {
    Match match(1.0, 0.01);
    match.driver.failures[{x, 1}] = search::LaunchFailed{"out of paper"};
    EXPECT_THAT(study_error([&] { match.run(); }),
                AllOf(HasSubstr(x < 0 ? "the old one failed" : "the new one failed"),
                      HasSubstr("out of paper")));
  }
}

TEST(RankingOfTwo, WhatIsBeyondALimitIsNotCompared) {
  Match match(3.0, 0.01);
  match.driver.problem.objectives.front().weight = 1;
  match.driver.problem.objectives.front().at_most = 2;
  EXPECT_THAT(study_error([&] { match.run(); }),
              AllOf(HasSubstr("the new one"), HasSubstr("exceeds limit on time")));
}

TEST(RankingOfTwo, ALostDeviceLeavesItUndecided) {
  Match match(0.9, 0.01, 2);
  const auto usual = match.driver.pool.on_measure;
  match.driver.pool.on_measure = [&](const Job& order) {
    JobEnded done = usual(order);
    if (order.device == 1) done.report.outcome = search::DeviceLost{"gone"};
    return done;
  };
  ASSERT_TRUE(match.run());
  EXPECT_TRUE(std::holds_alternative<search::Undecided>(match.verdict().acceptance));
  EXPECT_TRUE(match.comparison->has_lost_device());
}

TEST(RankingOfTwo, WhatIsDecidedHasLostNoDevice) {
  Match match(0.5, 0.001, 2);
  ASSERT_TRUE(match.run());
  match.comparison->lost(1, "gone");
  EXPECT_FALSE(match.comparison->has_lost_device()) << "it is decided already";
}

TEST(RankingOfTwo, ADisturbedPairIsMeasuredAgain) {
  Match match(0.95, 0.001);
  const auto usual = match.driver.pool.on_measure;
  match.driver.pool.on_measure = [&](const Job& order) {
    JobEnded done = usual(order);
    if (match.driver.pool.measured.size() == 5) {
      std::get<search::Measured>(done.report.outcome).measurement.disturbance = "throttled";
    }
    return done;
  };
  ASSERT_TRUE(match.run());
  EXPECT_EQ(match.verdict().devices.at(0).voided, 1);
  EXPECT_EQ(match.verdict().devices.at(0).pairs, 8);
}

TEST(RankingOfTwo, ChangesAreRelativeToTheBaseline) {
  Match match(1.0, 0.001);
  search::Problem& problem = match.driver.problem;
  problem.scalarisation = search::Scalarisation::kEfficiency;
  problem.objectives = {{"time", "ms"}, {"error", ""}};
  problem.objectives[0].role = search::Role::kTime;
  problem.objectives[1].role = search::Role::kAccuracy;
  EXPECT_TRUE(ContenderFigures::needs_reference(problem));
  ASSERT_TRUE(match.run());
  EXPECT_EQ(match.comparison->records().size(), match.driver.pool.measured.size() - 3);
  EXPECT_FALSE(ContenderFigures::needs_reference(fakes::command_problem(2)));
}

// Of each pair the second over the first, by its round.
search::Verdict verdict_of_pairs(const std::function<double(int)>& ratio, std::size_t* pairs) {
  const search::Problem problem = fakes::command_problem(4);
  Ranking plan(problem, {{"node", "a", "simulated", {}}}, {"first", "second"}, 1);
  int evaluations = 0;
  while (const auto planned = plan.next(0)) {
    const int round = evaluations < 2 ? 0 : (evaluations - 2) / 2;
    const double cost = (planned->contender == 1 ? ratio(round) : 1) * (1 + 1e-4 * (round % 3));
    TrialEnd end;
    end.report.outcome = search::Measured{{{{"time", std::vector<double>(5, cost)}}, {}}};
    end.device = 0;
    plan.ended(0, *planned, end);
    ++evaluations;
  }
  *pairs = plan.rounds();
  return plan.verdict();
}

TEST(RankingOfTwo, ALandslideOnEitherSideIsSeenAfterFourPairs) {
  std::size_t pairs = 0;
  for (const double ratio : {0.1, 10.0}) {
    EXPECT_TRUE(search::is_accepted(verdict_of_pairs([&](int) { return ratio; }, &pairs)));
    EXPECT_EQ(pairs, 4U) << ratio;
  }
  EXPECT_TRUE(search::is_accepted(verdict_of_pairs([](int) { return 0.55; }, &pairs)));
  EXPECT_EQ(pairs, 8U) << "large, and no landslide";
  const auto sides = [](int round) { return round % 2 == 0 ? 10 : 0.1; };
  EXPECT_FALSE(search::is_accepted(verdict_of_pairs(sides, &pairs)));
  EXPECT_EQ(pairs, 128U);
}

TEST(RankingOfTwo, SpendsHalfOfTheLevelOnEachSide) {
  std::size_t pairs = 0;
  const search::Verdict verdict = verdict_of_pairs([](int) { return 0.9; }, &pairs);
  ASSERT_EQ(pairs, 8U);
  EXPECT_NEAR(verdict.looks.at(0).level, 0.92 * 0.01 / 16, 1e-9);
}

TEST(RankingOfTwo, WhatNobodyWaitsForIsUndecided) {
  const search::Problem problem = fakes::command_problem(4);
  Ranking plan(problem, {{"node", "a", "simulated", {}}}, {"first", "second"}, 1);
  ASSERT_TRUE(plan.next(0));
  plan.abandon("the time is up");
  EXPECT_FALSE(plan.next(0));
  EXPECT_EQ(search::reason_of(plan.verdict().acceptance), "the time is up");
  EXPECT_TRUE(std::holds_alternative<search::Undecided>(plan.verdict().acceptance));
}

TEST(RankingOfTwo, AnotherQuestionHasItsOwnLooksAndJudge) {
  EvaluationDriver driver(fakes::command_problem(4), 2);
  driver.figure = [](int x, std::size_t) { return x == 1 ? 0.9 : 1.0; };
  std::vector<std::size_t> pairs;
  Ranking::Question question{{{3, 5, 9}, {0.01, 0.01, 0.01}}, {}};
  question.judge = [&](std::span<const search::DevicePairs> devices, std::size_t look) {
    pairs.push_back(devices[1].effects.size());
    std::optional<search::Verdict> verdict;
    if (look == 1) verdict.emplace().ratio = 0.5;
    return verdict;
  };
  Ranking ranking(driver.problem, driver.pool.devices(), {"a", "b"}, 1, question);
  std::vector<int> contenders{-1, 1};
  if (ContenderFigures::needs_reference(driver.problem)) contenders.push_back(-1);
  EvaluationLoop runner = driver.runner(contenders);
  ASSERT_TRUE(runner.run(ranking));
  EXPECT_THAT(pairs, ::testing::ElementsAre(3, 5));
  EXPECT_EQ(ranking.verdict().ratio, 0.5);
  EXPECT_NEAR(ranking.pairs().front().devices[0].effects.front(), -std::log(0.9), 1e-12);
}

TEST(RankingOfTwo, AQuestionThatIsLateBeginsNoFurtherRound) {
  EvaluationDriver driver(fakes::command_problem(4), 1);
  int rounds = 0;
  Ranking::Question question{{{300}, {0.01}}, {}};
  question.judge = [](std::span<const search::DevicePairs>, std::size_t) {
    return std::optional<search::Verdict>();
  };
  question.why_late = [&] { return ++rounds > 5 ? std::string("the time is over") : ""; };
  Ranking ranking(driver.problem, driver.pool.devices(), {"a", "b"}, 1, question);
  std::vector<int> contenders{-1, 1};
  if (ContenderFigures::needs_reference(driver.problem)) contenders.push_back(-1);
  EvaluationLoop runner = driver.runner(contenders);
  ASSERT_TRUE(runner.run(ranking));
  EXPECT_EQ(ranking.rounds(), 5U);
  EXPECT_EQ(ranking.undecided(), "the time is over");
}

}  // namespace
}  // namespace nightshift::scheduler
