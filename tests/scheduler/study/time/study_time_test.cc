#include "scheduler/study/time/study_time.h"

#include <gtest/gtest.h>

namespace nightshift::scheduler {
namespace {

search::Problem of_budget(double seconds) {
  search::Problem problem;
  problem.budget = {};
  problem.budget.seconds = seconds;
  return problem;
}

StudyTime of_evaluations(const search::Problem& problem, double seconds) {
  StudyTime time(problem);
  time.evaluation_took(seconds);
  return time;
}

TEST(StudyTime, KeepsHoldOutAndDuelsTheirEvaluationsOrAQuarterOfTheBudgetEach) {
  const search::Problem problem = of_budget(100);
  EXPECT_DOUBLE_EQ(of_evaluations(problem, 0.1).for_hold_out(), 2.4) << "12 pairs";
  EXPECT_DOUBLE_EQ(of_evaluations(problem, 0.1).for_short_hold_out(), 1.4) << "7 pairs";
  EXPECT_DOUBLE_EQ(of_evaluations(problem, 0.1).for_duels(), 12);
  EXPECT_DOUBLE_EQ(of_evaluations(problem, 1.5).for_hold_out(), 25);
  EXPECT_DOUBLE_EQ(of_evaluations(problem, 1.5).for_duels(), 25);
}

TEST(StudyTime, KeepsHoldOutsOfABatchThePairsThatHoldOverAllOfIt) {
  search::Problem problem = of_budget(100);
  problem.acceptance.claims_together = 10;
  EXPECT_DOUBLE_EQ(of_evaluations(problem, 0.1).for_short_hold_out(), 2) << "10 pairs";
  problem.acceptance.claims_together = 1000;
  EXPECT_DOUBLE_EQ(of_evaluations(problem, 0.1).for_short_hold_out(), 2.4) << "a whole hold-out";
}

TEST(StudyTime, AFirstBaselineStandsForEvaluationsUntilThereIsOne) {
  const search::Problem problem = of_budget(100);
  StudyTime time(problem);
  EXPECT_EQ(time.evaluation_seconds(), 0);
  time.baseline_took(3);
  EXPECT_DOUBLE_EQ(time.evaluation_seconds(), 3);
  time.exploration_took(0.2);
  time.exploration_took(20);  // of a slow one, which no confirmation asks for
  EXPECT_DOUBLE_EQ(time.evaluation_seconds(), 6.2 / 3);
  time.evaluation_took(0.25);
  EXPECT_DOUBLE_EQ(time.evaluation_seconds(), 0.25);
}

TEST(StudyTime, ManyQuickExplorationsDoNotHideWhatTheBaselineOfAPairTakes) {
  const search::Problem problem = of_budget(100);
  StudyTime time(problem);
  time.baseline_took(3.5, 3);
  for (int i = 0; i < 100; ++i) time.exploration_took(0.2);
  EXPECT_DOUBLE_EQ(time.evaluation_seconds(), 1.6) << "half of a pair";
  EXPECT_TRUE(time.allows_hold_out(87));
}

TEST(StudyTime, WhatAFirstBaselineTakesBesideMeasuringIsNoPartOfAPair) {
  search::Problem problem = of_budget(100);
  StudyTime on_cores(problem);
  on_cores.baseline_took(10, 0.25);
  for (int i = 0; i < 3; ++i) on_cores.exploration_took(0.25);
  EXPECT_DOUBLE_EQ(on_cores.evaluation_seconds(), 10.75 / 4);
  problem.target = search::Target::kGpus;
  StudyTime on_gpus(problem);
  on_gpus.baseline_took(3, 3);
  for (int i = 0; i < 4; ++i) on_gpus.exploration_took(0.2);
  EXPECT_DOUBLE_EQ(on_gpus.evaluation_seconds(), 3.8 / 5) << "code is loaded while it is measured";
}

TEST(StudyTime, APairOfAHoldOutHasABaselineHoweverQuickItsCandidateIs) {
  const search::Problem problem = of_budget(10);
  StudyTime time(problem);
  time.baseline_took(1.7, 1.5);
  time.exploration_took(0.1);
  EXPECT_TRUE(time.allows_hold_out(5.1)) << "three pairs take 4.8 s, and the last may run over";
  EXPECT_FALSE(time.allows_hold_out(5.3));
  time.evaluation_took(0.1);
  EXPECT_FALSE(time.allows_hold_out(5.3)) << "a candidate says nothing of the baseline";
  time.evaluation_took(1.0, false, true);
  EXPECT_TRUE(time.allows_hold_out(6.6)) << "the first one was slower than the baseline is";
  EXPECT_FALSE(time.allows_hold_out(6.8));
}

// A first look takes 16 evaluations.
TEST(StudyTime, KeepsWhatAClaimTakesAtLeastWhereBothFitIntoTwoThirds) {
  const search::Problem problem = of_budget(100);
  EXPECT_DOUBLE_EQ(of_evaluations(problem, 2).for_hold_out(), 28);
  EXPECT_DOUBLE_EQ(of_evaluations(problem, 2).for_duels(), 32);
}

TEST(StudyTime, KeepsWhatAHoldOutAloneTakesWhereADuelDoesNotFitBeforeIt) {
  const search::Problem problem = of_budget(100);
  EXPECT_DOUBLE_EQ(of_evaluations(problem, 3).for_hold_out(), 42);
  EXPECT_DOUBLE_EQ(of_evaluations(problem, 3).for_duels(), 0);
  EXPECT_DOUBLE_EQ(of_evaluations(problem, 5).for_hold_out(), 25) << "only landslides are shown";
  EXPECT_DOUBLE_EQ(of_evaluations(problem, 5).for_duels(), 25);
}

// Evaluations of 0.69 s, then self-tests of 0.76, then pairs whose candidates are faster: 14 of them are
// 62, 69 and 63 % of the budget.
TEST(StudyTime, WhatIsKeptForAHoldOutStaysUntilItTakesMuchMore) {
  const search::Problem problem = of_budget(15.5);
  StudyTime time(problem);
  time.baseline_took(0.75, 0.75);
  time.exploration_took(0.525);
  EXPECT_NEAR(time.for_short_hold_out(), 14 * 0.6375, 1e-9);
  for (int i = 0; i < 4; ++i) time.evaluation_took(0.76);
  EXPECT_NEAR(time.for_short_hold_out(), 14 * 0.76, 1e-9) << "as it was";
  EXPECT_EQ(time.for_duels(), 0);
  for (int i = 0; i < 8; ++i) time.evaluation_took(1);
  EXPECT_DOUBLE_EQ(time.for_short_hold_out(), 15.5 / 4) << "there is no room for it";
  StudyTime unknown(problem);
  unknown.evaluation_took(0.76);
  EXPECT_DOUBLE_EQ(unknown.for_short_hold_out(), 15.5 / 4) << "it was never kept";
}

// Twelve pairs are three blocks, each with a process of its own.
TEST(StudyTime, AHoldOutOnGpusIsKeptTheStartsOfItsProcesses) {
  search::Problem problem = of_budget(100);
  problem.target = search::Target::kGpus;
  StudyTime time(problem);
  time.baseline_took(1.1);
  time.evaluation_took(0.1);
  EXPECT_DOUBLE_EQ(time.for_hold_out(), 24 * 0.1 + 3 * 1.0);
  EXPECT_DOUBLE_EQ(time.for_short_hold_out(), 14 * 0.1 + 2 * 1.0);
  time.evaluation_took(0.7, true);
  EXPECT_DOUBLE_EQ(time.for_hold_out(), 24 * 0.1 + 3 * 0.6);
  EXPECT_DOUBLE_EQ(time.evaluation_seconds(), 0.1);
  EXPECT_DOUBLE_EQ(time.for_duels(), 12) << "they start none";
  time.evaluation_took(30, true);
  EXPECT_DOUBLE_EQ(time.for_hold_out(), 25) << "a quarter at most";
}

// One for four rounds of a duel, which the mean has, and one for each evaluation of a hold-out.
TEST(StudyTime, OnHostsEachConfirmationStartsProcesses) {
  const search::Problem problem = of_budget(100);
  StudyTime time(problem);
  time.baseline_took(1.1);
  time.evaluation_took(0.1);
  time.evaluation_took(0.3, true);
  EXPECT_DOUBLE_EQ(time.evaluation_seconds(), 0.2);
  EXPECT_DOUBLE_EQ(time.for_hold_out(), 24 * 0.3);
}

TEST(StudyTime, ProgramsAreStartedForEachRunAnyway) {
  search::Problem problem = of_budget(100);
  problem.backend = search::CommandBackend{};
  StudyTime time(problem);
  time.evaluation_took(0.1);
  time.evaluation_took(0.3, true);
  EXPECT_DOUBLE_EQ(time.for_hold_out(), 24 * 0.2);
}

TEST(StudyTime, WhoAsksForFewerPairsGetsTheTimeOfThese) {
  search::Problem problem = of_budget(100);
  problem.acceptance.hold_out_least = 3;
  EXPECT_DOUBLE_EQ(of_evaluations(problem, 2.5).for_short_hold_out(), 15);
}

TEST(StudyTime, ADuelMayBeginWhileTheFewestPairsFitBehindIt) {
  const search::Problem problem = of_budget(100);
  const StudyTime time = of_evaluations(problem, 2);
  EXPECT_TRUE(time.allows_duel(71));
  EXPECT_FALSE(time.allows_duel(73));
}

TEST(StudyTime, WithoutAHoldOutOrALimitNothingIsKept) {
  search::Problem problem = of_budget(100);
  problem.acceptance.hold_out_most = 0;
  StudyTime without_hold_out(problem);
  without_hold_out.evaluation_took(2);
  EXPECT_EQ(without_hold_out.for_hold_out(), 0);
  EXPECT_TRUE(without_hold_out.allows_duel(99));
  const search::Problem endless = of_budget(0);
  StudyTime time(endless);
  time.evaluation_took(2);
  EXPECT_EQ(time.for_hold_out(), 0);
  EXPECT_TRUE(time.allows_duel(1e9));
}

TEST(StudyTime, AFirstBaselineTellsWhatAStudyTakesRoughly) {
  const search::Problem problem = of_budget(0);
  StudyTime time(problem);
  time.baseline_took(5);
  time.exploration_took(1);
  time.exploration_took(1);
  EXPECT_DOUBLE_EQ(time.least(0, 1).end, 150);
  EXPECT_TRUE(time.least(0, 1).is_rough);
  time.exploration_took(1);
  EXPECT_FALSE(time.least(0, 1).is_rough);
  EXPECT_DOUBLE_EQ(time.least(0, 1).end, 30) << "16 evaluations of a duel, 14 of a hold-out";
  EXPECT_DOUBLE_EQ(time.least(0, 1).whole, 30 / 0.65);
  EXPECT_DOUBLE_EQ(time.least(10, 1).whole, 10 + 5 + 8 * 10 + 30) << "builds take longer";
  EXPECT_DOUBLE_EQ(time.least(10, 20).whole, 10 + 5 + 8 * 1 + 30) << "of which many go on at once";
}

// What it takes at the least is a budget that has room for all of it.
TEST(StudyTime, TheLeastBudgetKeepsItsClaimWhole) {
  for (const search::Target target : {search::Target::kCores, search::Target::kGpus}) {
    search::Problem problem = of_budget(0);
    problem.target = target;
    StudyTime time(problem);
    time.baseline_took(2.5);
    time.evaluation_took(0.5);
    const StudyTime::Least least = time.least(0, 1);
    time.limit(least.whole);
    EXPECT_GE(time.for_short_hold_out() + time.for_duels(), least.end - 1e-9);
    EXPECT_LE(time.for_short_hold_out() + time.for_duels(), 0.75 * least.whole);
  }
}

TEST(StudyTime, WhoClaimsNothingTakesNoHoldOut) {
  search::Problem problem = of_budget(0);
  problem.acceptance.hold_out_most = 0;
  EXPECT_DOUBLE_EQ(of_evaluations(problem, 1).least(0, 1).end, 16);
  problem.acceptance.duels = false;
  EXPECT_DOUBLE_EQ(of_evaluations(problem, 1).least(0, 1).whole, 1 + 8);
}

TEST(StudyTime, WindingUpHasAnEndAndAHoldOutOfItsOwn) {
  const search::Problem problem = of_budget(0);
  StudyTime time(problem);
  time.evaluation_took(1);
  time.wind_up(50, 20);
  EXPECT_EQ(time.limit(), 70);
  EXPECT_EQ(time.for_hold_out(), 14) << "there is no room for a duel before it";
  EXPECT_EQ(time.for_duels(), 0);
  EXPECT_TRUE(time.allows_duel(55));
  EXPECT_FALSE(time.allows_duel(57));
}

TEST(StudyTime, AHoldOutThatCanShowNothingIsNotBegun) {
  const search::Problem problem = of_budget(18);
  StudyTime time = of_evaluations(problem, 3);
  EXPECT_DOUBLE_EQ(time.for_hold_out(), 4.5);
  EXPECT_FALSE(time.allows_hold_out(0)) << "four pairs take 24 s";
  time.exploration_took(0.5);
  EXPECT_TRUE(time.allows_hold_out(17))
      << "by the quickest of what was seen, in what is kept for it";
  EXPECT_TRUE(of_evaluations(problem, 1).allows_hold_out(10));
  EXPECT_FALSE(of_evaluations(problem, 1).allows_hold_out(11));
  EXPECT_TRUE(of_evaluations(of_budget(0), 100).allows_hold_out(1e6));
  EXPECT_TRUE(StudyTime(problem).allows_hold_out(17)) << "nothing is known yet";
}

}  // namespace
}  // namespace nightshift::scheduler
