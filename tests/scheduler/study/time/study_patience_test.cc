#include "scheduler/study/time/study_patience.h"

#include <gtest/gtest.h>

namespace nightshift::scheduler {
namespace {

struct Study {
  Study() {
    problem.backend = search::CommandBackend{};
    problem.budget.seconds = 100;
  }
  search::Problem problem;
};

TEST(StudyPatience, WithoutABudgetOfTimeBuildsAndBaselinesHaveTheProblemsLimitsAlone) {
  Study study;
  study.problem.budget.seconds = 0;
  const StudyTime time(study.problem);
  const StudyPatience patience(study.problem, time);
  EXPECT_EQ(patience.of_baseline(50).seconds, 0);
  EXPECT_EQ(patience.of_needed_build(50).seconds, 0);
}

TEST(StudyPatience, ABaselineHasSomeSecondsHoweverLittleIsLeft) {
  Study study;
  const StudyTime time(study.problem);
  const StudyPatience patience(study.problem, time);
  EXPECT_GT(patience.of_baseline(10).left, patience.of_baseline(80).left);
  EXPECT_EQ(patience.of_baseline(95).left, patience.of_baseline(1000).left);
  EXPECT_GT(patience.of_baseline(1000).left, 0);
}

TEST(StudyPatience, AHoldOutThatBeganLateHasWhatWasKeptForItBeyondTheEnd) {
  Study study;
  StudyTime time(study.problem);
  time.evaluation_took(0.5);
  StudyPatience patience(study.problem, time);
  const double before = patience.comparing(0.5, 99, {4}).left;
  patience.holds_out({4}, 8, 99);
  EXPECT_GT(patience.comparing(0.5, 99, {4}).left, before);
  EXPECT_EQ(patience.comparing(0.5, 99, {5}).left, before) << "another confirmation";
  EXPECT_EQ(patience.comparing(0.5, 99, {}).left, before) << "none is open";
  EXPECT_FALSE(patience.hold_out_had_its_time(99));
  patience.holds_out({4}, 8, 500);
  EXPECT_TRUE(patience.hold_out_had_its_time(99 + time.for_hold_out())) << "it began at 99";
}

TEST(StudyPatience, AHoldOutHasTheTimeOfItsOwnPairs) {
  Study study;
  StudyTime time(study.problem);
  time.evaluation_took(0.5);
  StudyPatience patience(study.problem, time);
  patience.holds_out({4}, 16, 99);
  EXPECT_LT(time.for_hold_out(), 16);
  EXPECT_FALSE(patience.hold_out_had_its_time(99 + 15.9));
  EXPECT_TRUE(patience.hold_out_had_its_time(99 + 16));
  time.evaluation_took(0.7);
  EXPECT_FALSE(patience.hold_out_had_its_time(99 + 16)) << "they turn out to take longer";
  patience.holds_out({5}, 1000, 99);
  EXPECT_TRUE(patience.hold_out_had_its_time(99 + 25)) << "a quarter of the budget at most";
}

// What is kept for its fewest pairs may be two thirds of the budget. One that begins when half of that is left
// took the rest behind the end.
TEST(StudyPatience, AHoldOutThatBeginsLateHasAQuarterOfTheBudgetBehindItsEndAtMost) {
  Study study;
  StudyTime time(study.problem);
  time.evaluation_took(4);
  ASSERT_EQ(time.for_hold_out(), 56);
  StudyPatience patience(study.problem, time);
  patience.holds_out({4}, 7, 30);
  EXPECT_FALSE(patience.hold_out_had_its_time(85)) << "in time";
  patience.holds_out({5}, 7, 70);
  EXPECT_FALSE(patience.hold_out_had_its_time(99));
  EXPECT_TRUE(patience.hold_out_had_its_time(100));
  patience.holds_out({6}, 7, 90);
  EXPECT_FALSE(patience.hold_out_had_its_time(114));
  EXPECT_TRUE(patience.hold_out_had_its_time(115));
}

// Studies of a batch that wound up in 4.6 s: half of it was the hold-out's, it began with twelve pairs
// and ended with four, which are too few; so did those of two other candidates after it.
TEST(StudyPatience, WhereAStudyWindsUpItsHoldOutMayHaveAllOfThat) {
  Study study;
  StudyTime time(study.problem);
  time.evaluation_took(0.2);
  StudyPatience patience(study.problem, time);
  time.wind_up(60, 6);
  patience.holds_out({4}, 12, 64);
  EXPECT_EQ(time.for_hold_out(), 3);
  EXPECT_FALSE(patience.hold_out_had_its_time(64 + 4.7));
  EXPECT_TRUE(patience.hold_out_had_its_time(64 + 4.8));
  time.evaluation_took(1);
  EXPECT_TRUE(patience.hold_out_had_its_time(64 + 6)) << "but no more";
}

TEST(StudyPatience, WhatOthersHadOfItsDevicesIsNoTimeOfAHoldOut) {
  Study study;
  StudyTime time(study.problem);
  time.evaluation_took(0.5);
  time.others_had(30);
  StudyPatience patience(study.problem, time);
  patience.holds_out({4}, 8, 99);
  const double end = 99 + time.for_hold_out(), left = patience.comparing(0.5, 99, {4}).left;
  EXPECT_TRUE(patience.hold_out_had_its_time(end)) << "what they had before";
  time.others_had(33);
  EXPECT_FALSE(patience.hold_out_had_its_time(end + 2.9));
  EXPECT_TRUE(patience.hold_out_had_its_time(end + 3));
  EXPECT_DOUBLE_EQ(patience.comparing(0.5, 99, {4}).left, left + 3);
}

}  // namespace
}  // namespace nightshift::scheduler
