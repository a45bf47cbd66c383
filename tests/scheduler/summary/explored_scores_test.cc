#include "scheduler/summary/explored_scores.h"

#include <gtest/gtest.h>

#include "tests/scheduler/summary/story.h"

namespace nightshift::scheduler {
namespace {

// The machine was busy while the first baseline was measured (20), and not later (10).
class BusyAtFirst {
 public:
  BusyAtFirst() {
    story_.baseline("n/cpu:1", {20});
    first_ = story_.explore({10}, search::Score{0.5, 0});
    second_ = story_.explore({9.9}, search::Score{0.495, 0});
  }
  void duel(double baseline) {
    for (int round = 0; round < 4; ++round) {
      story_.evaluation(1, first_, Arm::kBaseline, {baseline});
      story_.evaluation(1, first_, Arm::kCandidate, {10});
    }
    story_.verdict(1, first_, search::Reject{"no better"}, 1.0);
    for (std::size_t i = 0; i < story_.history_.trials.size(); ++i) {
      FinishedTrial& trial = *story_.history_.trials[i].finished;
      trial.started = trial.finished = static_cast<double>(i);
    }
  }
  double score_of_second() {
    const ExploredScores scores(story_.history_, story_.problem_);
    return scores.of(story_.record(second_))->value;
  }
  Story story_;

 private:
  std::uint64_t first_ = 0, second_ = 0;
};

TEST(ExploredScores, ABaselineThatAloneWasSlowIsPassedOver) {
  BusyAtFirst study;
  EXPECT_DOUBLE_EQ(study.score_of_second(), 0.495) << "nothing else is known yet";
  study.duel(10);
  EXPECT_DOUBLE_EQ(study.score_of_second(), 0.99);
  const StudySummary summary = study.story_.summary();
  EXPECT_DOUBLE_EQ(summary.ratio, 0.99) << "best seen";
  ASSERT_EQ(summary.compared_baseline.size(), 1U);
  EXPECT_DOUBLE_EQ(summary.compared_baseline[0].value, 10);
}

TEST(ExploredScores, ABaselineThatStayedIsThatOfTheScore) {
  BusyAtFirst study;
  study.duel(20);
  EXPECT_DOUBLE_EQ(study.score_of_second(), 0.495);
}

// Their arms are no other's baseline.
TEST(ExploredScores, CandidatesAndOtherDevicesDoNotCount) {
  BusyAtFirst study;
  study.duel(10);
  for (TrialRecord& record : study.story_.history_.trials) {
    if (record.proposed.arm == Arm::kBaseline) record.finished->device = "other/cpu:1";
  }
  EXPECT_DOUBLE_EQ(study.score_of_second(), 0.495);
}

TEST(ExploredScores, WhatHasNoScoreHasNone) {
  BusyAtFirst study;
  const std::uint64_t beyond = study.story_.explore({1}, std::nullopt);
  study.duel(10);
  const ExploredScores scores(study.story_.history_, study.story_.problem_);
  EXPECT_FALSE(scores.of(study.story_.record(beyond)));
}

}  // namespace
}  // namespace nightshift::scheduler
