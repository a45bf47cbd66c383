#include "scheduler/study/exploration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/study_driver.h"

namespace nightshift::scheduler {
namespace {

using ::testing::HasSubstr;

// A study of five configurations of which nothing was measured.
struct Study {
  explicit Study(double seconds = 0)
      : problem(fakes::command_problem(5)),
        space(problem.parameters, problem.constraints),
        state(problem, space),
        time(with(problem, seconds)),
        front_rounds(problem, state),
        exploration(problem, space, state, time, front_rounds) {}
  static const search::Problem& with(search::Problem& problem, double seconds) {
    problem.budget.seconds = seconds;
    return problem;
  }
  void propose(int count) {
    for (int i = 0; i < count; ++i) {
      ProposedTrial trial;
      trial.id = state.next_trial();
      trial.index = search::ConfigurationIndex{trial.id.value - 1};
      state.proposed(trial);
    }
  }

  search::Problem problem;
  search::ParameterSpace space;
  StudyState state;
  StudyTime time;
  FrontRounds front_rounds;
  Exploration exploration;
};

TEST(Exploration, GoesOnUntilAllOfTheSpaceIsProposed) {
  Study study;
  study.propose(4);
  EXPECT_TRUE(study.exploration.goes_on(0));
  study.propose(1);
  EXPECT_FALSE(study.exploration.goes_on(0));
}

TEST(Exploration, EndsWithItsBudgetOfConfigurations) {
  Study study;
  study.problem.budget.trials = 3;
  Exploration exploration(study.problem, study.space, study.state, study.time, study.front_rounds);
  study.propose(2);
  EXPECT_TRUE(exploration.goes_on(0));
  study.propose(1);
  EXPECT_FALSE(exploration.goes_on(0));
  EXPECT_THAT(exploration.why_finished(0), HasSubstr("3 configurations"));
}

TEST(Exploration, SaysThatTheTimeWasTooShortForAClaim) {
  Study study(18);
  study.problem.acceptance.duels = true;
  study.problem.acceptance.hold_out_most = 40;
  study.propose(5);
  study.time.baseline_took(3);
  EXPECT_THAT(study.exploration.why_finished(14), HasSubstr(" s here, more than the budget has"));
  study.problem.acceptance.hold_out_most = 0;
  EXPECT_THAT(study.exploration.why_finished(14), ::testing::Not(HasSubstr("a claim takes")));
}

TEST(Exploration, LeavesOfABudgetOfTimeWhatComesAfterwardsNeeds) {
  Study study(100);
  EXPECT_TRUE(study.exploration.goes_on(99));
  study.exploration.keep_for_finishing({.alone = 2, .pairs = 4, .rounds = 1});
  study.time.evaluation_took(5);
  EXPECT_TRUE(study.exploration.goes_on(50));
  EXPECT_FALSE(study.exploration.goes_on(99));
  EXPECT_TRUE(study.exploration.is_final(99));
  EXPECT_THAT(study.exploration.why_finished(99), HasSubstr("which were kept for"));
  study.exploration.limit_time(1000);
  study.time.limit(1000);
  EXPECT_TRUE(study.exploration.goes_on(99));
  EXPECT_FALSE(study.exploration.is_final(99));
}

TEST(Exploration, ThatIsStoppedSaysWhy) {
  Study study;
  EXPECT_FALSE(study.exploration.was_stopped());
  study.exploration.stop("enough was seen");
  EXPECT_TRUE(study.exploration.was_stopped());
  EXPECT_FALSE(study.exploration.goes_on(0));
  EXPECT_EQ(study.exploration.why_finished(0), "enough was seen");
}

TEST(Exploration, ASearcherThatHasNothingToProposeMayHaveMoreLater) {
  Study study;
  study.exploration.exhaust(true);
  EXPECT_FALSE(study.exploration.goes_on(0));
  EXPECT_EQ(study.exploration.why_finished(0), "the searcher has nothing more to propose");
  study.exploration.exhaust(false);
  EXPECT_TRUE(study.exploration.goes_on(0));
}

TEST(Exploration, AWindUpEndsIt) {
  Study study;
  study.time.wind_up(10, 60);
  EXPECT_FALSE(study.exploration.goes_on(10));
  EXPECT_FALSE(study.exploration.was_cut_short());
  study.exploration.cut_short();
  EXPECT_TRUE(study.exploration.was_cut_short());
}

}  // namespace
}  // namespace nightshift::scheduler
