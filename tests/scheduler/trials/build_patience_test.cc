#include "scheduler/trials/build_patience.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::scheduler {
namespace {

using ::testing::HasSubstr;

search::TrialOutcome late(double limit) {
  return search::TimedOut{search::Phase::kBuild, limit, false};
}

TEST(BuildPatience, ACandidateHasAsLongAsTheSlowestSoFarAllows) {
  search::Limits limits;
  BuildPatience builds(limits, 0);
  EXPECT_EQ(builds.begin({1}, true, {}).seconds, 0) << "nothing is known";
  builds.candidate_took(2);
  builds.candidate_took(1);
  EXPECT_EQ(builds.begin({2}, true, {}).seconds, patience_with_build(limits, 2).seconds);
  EXPECT_EQ(builds.begin({3}, false, {7, "why", 0}).seconds, 7);
}

// All builders waited for builds that hung, and no healthy configuration behind them was tried.
TEST(BuildPatience, AsLongAsNoneIsKnownACandidateHasAQuarterOfTheBudget) {
  search::Limits limits;
  const auto first = [&](double budget) {
    return BuildPatience(limits, budget).begin({1}, true, {}).seconds;
  };
  EXPECT_EQ(first(40), 20) << "and twenty seconds at least";
  EXPECT_EQ(first(200), 50);
  EXPECT_EQ(first(3600), 0) << "limits.build is less";
  BuildPatience builds(limits, 200);
  EXPECT_EQ(builds.begin({1}, false, {7, "why", 0}).seconds, 7) << "of what all trials need";
  builds.candidate_took(2);
  EXPECT_EQ(builds.begin({2}, true, {}).seconds, 40);
  limits.times_build = 0;
  EXPECT_EQ(builds.begin({3}, true, {}).seconds, 0);
}

TEST(BuildPatience, AnEndByItIsExplained) {
  search::Limits limits;
  BuildPatience builds(limits, 0);
  builds.begin({1}, false, {7, "the budget was used up", 7});
  search::TrialOutcome outcome = late(7);
  builds.explain({1}, outcome);
  EXPECT_THAT(std::get<search::TimedOut>(outcome).message, HasSubstr("the budget was used up"));
  EXPECT_TRUE(std::get<search::TimedOut>(outcome).out_of_budget);
}

TEST(BuildPatience, AnEndByAnotherLimitOrOfAnotherBuildIsNot) {
  search::Limits limits;
  BuildPatience builds(limits, 0);
  builds.begin({1}, false, {7, "why", 0});
  search::TrialOutcome outcome = late(120);
  builds.explain({1}, outcome);
  outcome = late(7);
  builds.explain({2}, outcome);
  builds.ended({1});
  builds.explain({1}, outcome);
  EXPECT_EQ(std::get<search::TimedOut>(outcome).message, "");
}

}  // namespace
}  // namespace nightshift::scheduler
