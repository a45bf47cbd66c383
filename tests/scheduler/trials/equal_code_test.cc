#include "scheduler/trials/equal_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::scheduler {
namespace {

using search::TrialId;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(EqualCode, TheFirstOnItsWaySpeaksForThoseThatComeAfterIt) {
  EqualCode code;
  EXPECT_TRUE(code.enter("a", {1}).is_alone());
  EXPECT_TRUE(code.enter("b", {2}).is_alone());
  EXPECT_TRUE(code.enter("a", {3}).waits);
  EXPECT_TRUE(code.enter("a", {4}).waits);
  EXPECT_TRUE(code.enter("a", {1}).is_alone()) << "asked again, of itself";
  EXPECT_THAT(code.leave("a", {1}), ElementsAre(TrialId{3}, TrialId{4}));
  EXPECT_THAT(code.leave("a", {1}), IsEmpty());
  EXPECT_TRUE(code.enter("a", {3}).is_alone()) << "the one before it is gone";
}

TEST(EqualCode, WhoOnlyWaitedLeavesNobodyBehind) {
  EqualCode code;
  code.enter("a", {1});
  code.enter("a", {2});
  EXPECT_THAT(code.leave("a", {2}), IsEmpty());
  EXPECT_THAT(code.leave("a", {1}), ElementsAre(TrialId{2}));
}

TEST(EqualCode, OneThatWasMeasuredSpeaksForAllThatAreToCome) {
  EqualCode code;
  code.enter("a", {1});
  EXPECT_EQ(code.measured("a", {1}), std::nullopt);
  code.leave("a", {1});
  EXPECT_EQ(code.enter("a", {2}).spoken_for, TrialId{1});
  code.measured("a", {9});
  EXPECT_EQ(code.enter("a", {3}).spoken_for, TrialId{1}) << "the first one";
}

TEST(EqualCode, AnotherThatIsOnItsWayIsNamedWhenOneWasMeasured) {
  EqualCode code;
  code.enter("a", {2});
  EXPECT_EQ(code.measured("a", {1}), TrialId{2});
}

TEST(EqualCode, WhatIsLeftToALaterRunWaitsNoMore) {
  EqualCode code;
  code.enter("a", {1});
  code.enter("a", {2});
  code.forget_waiting();
  EXPECT_THAT(code.leave("a", {1}), IsEmpty());
}

TEST(EqualCode, AnExplorationOfTheBaselinesPointIsTheBaselineOnceMore) {
  const search::Configuration point({{"x", std::int64_t{3}}});
  EqualCode code(point);
  ProposedTrial trial;
  trial.job = search::JobKind::kExplore;
  trial.configuration = point;
  EXPECT_EQ(code.baseline_of(trial), std::nullopt) << "it was not measured yet";
  code.baseline_measured({1});
  code.baseline_measured({5});
  EXPECT_EQ(code.baseline_of(trial), TrialId{1});
  trial.configuration = search::Configuration({{"x", std::int64_t{4}}});
  EXPECT_EQ(code.baseline_of(trial), std::nullopt);
  trial.configuration = point;
  trial.job = search::JobKind::kConfirm;
  EXPECT_EQ(code.baseline_of(trial), std::nullopt);
}

}  // namespace
}  // namespace nightshift::scheduler
