#include "tools/text/progress_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;

struct Timed {
  Timed() {
    problem.budget = {};
    problem.budget.seconds = 600;
    status.problem = &problem;
    status.space_size = 100'000;
    status.elapsed = 562;
    status.evaluations = 500;
  }
  search::Problem problem;
  scheduler::StudyStatus status;
};

TEST(PaceText, SaysWhatTheBudgetLeaves) {
  const Timed study;
  EXPECT_THAT(pace_text(study.status), HasSubstr("elapsed, 38 s left"));
}

TEST(PaceText, TheLastDuelsAndTheHoldOutMayEndEarlier) {
  Timed study;
  study.status.explores = false;
  EXPECT_THAT(pace_text(study.status), HasSubstr("elapsed, at most 38 s left"));
}

TEST(PaceText, WhatTheRateMakesOfTheSpaceCountsWhileItIsExplored) {
  Timed study;
  study.problem.budget.seconds = 0;
  study.status.space_size = 1000;
  EXPECT_THAT(pace_text(study.status), HasSubstr("elapsed, 9 min 22 s left"));
  study.status.explores = false;
  EXPECT_THAT(pace_text(study.status), ::testing::Not(HasSubstr("left")));
}

TEST(OpeningLine, IsSaidOfWhatIsMeasured) {
  scheduler::ConfirmationSetup round;
  round.purpose = scheduler::Purpose::kFinishing;
  EXPECT_FALSE(measures(round));  // of equal machine code
  round.devices = {"cpu:1"};
  EXPECT_TRUE(measures(round));
  scheduler::ConfirmationSetup duel;
  duel.purpose = scheduler::Purpose::kDuel;
  EXPECT_TRUE(measures(duel));
}

}  // namespace
}  // namespace nightshift::tools
