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

TEST(OpeningLine, OfTheFrontSaysThatItIsMeasuredAgain) {
  scheduler::ConfirmationSetup round;
  round.purpose = scheduler::Purpose::kFront;
  round.candidate = search::TrialId{7};
  round.devices = {"cpu:1"};
  round.pairs = 4;
  EXPECT_EQ(opening_line(round),
            "front round: trial 7 again, beside the baseline, 4 pairs on 1 device");
  scheduler::ConfirmationVerdict verdict;
  verdict.verdict.acceptance = search::Accept{"measured again, beside the baseline"};
  EXPECT_EQ(verdict_line(round, verdict, search::Objective()),
            "trial 7 measured again, beside the baseline");
}

}  // namespace
}  // namespace nightshift::tools
