#include "scheduler/summary/no_measurement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace nightshift::scheduler {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A study whose baseline was measured from 100 s to 107 s.
class NoMeasurementTest : public ::testing::Test {
 protected:
  NoMeasurementTest() {
    problem_.budget.seconds = 8;
    summary_.seconds = 8.1;
    add(search::JobKind::kBaseline, search::Measured{}, 100, 104);
    add(search::JobKind::kBaseline, search::Measured{}, 104, 107);
  }
  void add(search::JobKind job, search::TrialOutcome outcome, double from, double until) {
    TrialRecord record;
    record.proposed.id = {history_.trials.size() + 1};
    record.proposed.job = job;
    record.proposed_at = from;
    FinishedTrial finished;
    finished.id = record.proposed.id;
    finished.report.outcome = std::move(outcome);
    finished.started = from;
    finished.finished = until;
    record.finished = std::move(finished);
    history_.trials.push_back(std::move(record));
  }
  NoMeasurement why() const { return why_nothing_measured(history_, problem_, summary_); }

  History history_;
  search::Problem problem_;
  StudySummary summary_;
};

TEST_F(NoMeasurementTest, ABudgetThatTheBaselineUsedUpIsSaidToBe) {
  EXPECT_THAT(
      why().reason,
      AllOf(HasSubstr("no configuration was tried: baseline and self-test took 7 s of the 8 s"),
            HasSubstr("--budget")));
}

TEST_F(NoMeasurementTest, OneThatAnotherCauseEndedIsNot) {
  summary_.seconds = 3;
  EXPECT_EQ(why().reason, "no configuration was tried");
  summary_.seconds = 8;
  problem_.budget.seconds = 0;
  EXPECT_EQ(why().reason, "no configuration was tried");
}

TEST_F(NoMeasurementTest, WhatWasUnderWayIsNamed) {
  add(search::JobKind::kExplore, search::Measured{}, 107, 108);
  history_.trials.back().finished.reset();
  EXPECT_THAT(why().reason, HasSubstr("trial 3 was not done when the time ended"));
}

TEST_F(NoMeasurementTest, AnswersThatOnlyRoundHaveTheirTolerance) {
  search::Argument sum;
  sum.name = "sum";
  sum.type = search::ElementType::kFloat32;
  sum.access = search::Argument::Access::kOut;
  search::HostBackend host;
  host.arguments = {sum};
  problem_.backend = host;
  const search::WrongResult wrong{"sum", 0, 1, 1 - 3.8e-6, 3.8e-6, 2.2e-6};
  add(search::JobKind::kExplore, wrong, 107, 108);
  add(search::JobKind::kExplore, wrong, 108, 109);
  EXPECT_EQ(why().failed_alike.value, 3U);
  EXPECT_THAT(why().reason, HasSubstr("write tolerance = { absolute = 2e-05 } into [host]"));
}

TEST_F(NoMeasurementTest, FailuresThatDifferHaveNoCause) {
  add(search::JobKind::kExplore, search::BuildFailed{"one"}, 107, 108);
  add(search::JobKind::kExplore, search::LaunchFailed{"other"}, 108, 109);
  EXPECT_EQ(why().failed_alike.value, 0U);
  EXPECT_THAT(why().reason, Not(HasSubstr("tolerance")));
}

TEST_F(NoMeasurementTest, ConfigurationsOfOneCodeWereTried) {
  add(search::JobKind::kExplore, search::Skipped{search::TrialId{1}}, 107, 107);
  add(search::JobKind::kExplore, search::Skipped{search::TrialId{1}}, 107, 107);
  summary_.skipped = 2;
  EXPECT_THAT(why().reason, HasSubstr("all 2 configurations are one machine code"));
}

TEST_F(NoMeasurementTest, LimitsComeFirst) {
  summary_.beyond_limits = 1;
  EXPECT_EQ(why().reason, "no configuration that could be measured keeps within the limits");
}

// That one has the baseline's code says nothing of what differs between configurations.
TEST_F(NoMeasurementTest, OneThatIsTheBaselineIsNoReasonForAll) {
  add(search::JobKind::kExplore, search::Skipped{search::TrialId{1}}, 107, 107);
  summary_.skipped = 1;
  EXPECT_THAT(why().reason,
              AllOf(HasSubstr("the one configuration that was tried is the baseline's"),
                    HasSubstr("--budget"), Not(HasSubstr("all"))));
}

}  // namespace
}  // namespace nightshift::scheduler
