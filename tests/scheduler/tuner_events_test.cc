// What happens to a study: ends of jobs, devices that fail or are lost, signals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/figures/left_running.h"
#include "tests/fakes/study_driver.h"

namespace nightshift::scheduler {
namespace {

using fakes::kSegfault;
using fakes::StudyDriver;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(TunerEvents, AFailedBaselineEndsTheStudyNamingDeviceAndReason) {
  StudyDriver study(fakes::command_problem(3));
  study.failures[{-1, 1}] = study.failures[{-1, 2}] = kSegfault;
  EXPECT_THAT(study.failure_of_run(),
              AllOf(HasSubstr("node/fake:0"), HasSubstr("SIGSEGV"), HasSubstr("baseline")));
  EXPECT_EQ(study.pool.measured.size(), 2U) << "tried again once, in a fresh process";
  EXPECT_EQ(study.journal.history.status, "failed");
}

TEST(TunerEvents, ADeviceThatFailsTheBaselineIsQuarantinedAndTheOthersGoOn) {
  StudyDriver study(fakes::command_problem(6), 2);
  study.pool.on_measure = [&](const Job& order) {
    JobEnded done = study.answer(order);
    if (order.device == 1) done.report.outcome = kSegfault;
    return done;
  };
  study.run();
  EXPECT_EQ(study.pool.retired, std::set<std::size_t>{1});
  EXPECT_EQ(study.observer.last.evaluations, 6U);
  for (const Job& order : study.pool.measured) {
    EXPECT_TRUE(order.device == 0 || order.evaluation().configuration.is_baseline());
  }
}

TEST(TunerEvents, WhatLeavesProcessesRunningFailsAndIsToldOnce) {
  StudyDriver study(fakes::command_problem(3));
  study.pool.on_measure = [&](const Job& order) {
    JobEnded done = study.answer(order);
    if (order.evaluation().configuration.is_baseline()) return done;
    std::get<search::Measured>(done.report.outcome).measurement.conditions = {
        {std::string(search::kLeftRunningCondition), "sleep"}};
    return done;
  };
  study.problem.budget.trials = 2;
  study.run();
  StudyDriver later(fakes::command_problem(3));
  later.pool.on_measure = study.pool.on_measure;
  later.resume(study.journal.history);
  for (const int x : {0, 1, 2}) {
    EXPECT_TRUE(
        std::holds_alternative<search::LaunchFailed>(later.explored(x).finished->report.outcome));
  }
  std::vector<std::string> notices;
  for (const Remark& remark : later.journal.history.remarks) {
    if (remark.what == kNoticeRemark) notices.push_back(remark.detail);
  }
  EXPECT_THAT(notices, ElementsAre(HasSubstr("each one like it fails: ")));
}

TEST(TunerEvents, ADeathInAUsedProcessIsTriedOnceInAFreshOne) {
  StudyDriver study(fakes::command_problem(3));
  study.failures[{1, 1}] = kSegfault;
  study.run();
  const TrialRecord& trial = study.explored(1);
  EXPECT_EQ(trial.finished->attempts, 2U);
  EXPECT_TRUE(std::holds_alternative<search::Measured>(trial.finished->report.outcome));
  EXPECT_THAT(trial.changes,
              ::testing::Contains(::testing::Field(&StateChange::state, TrialState::kRetry)));
}

TEST(TunerEvents, ADeathInAFreshProcessIsTheCandidates) {
  StudyDriver study(fakes::command_problem(3));
  study.failures[{1, 1}] = study.failures[{1, 2}] = kSegfault;
  study.run();
  EXPECT_EQ(study.explored(1).finished->attempts, 2U);
  EXPECT_TRUE(std::holds_alternative<search::Crashed>(study.explored(1).finished->report.outcome));
}

TEST(TunerEvents, ALostDeviceGivesItsTrialToAnother) {
  StudyDriver study(fakes::command_problem(8), 2);
  study.pool.on_measure = [&](const Job& order) {
    JobEnded done = study.answer(order);
    const bool lost = order.device == 1 && !order.evaluation().configuration.is_baseline();
    if (lost) {
      done.report.outcome = search::DeviceLost{"fell off the bus"};
      study.pool.injected.push_back(DeviceFailed{1, "fell off the bus"});
    }
    return done;
  };
  study.run();
  EXPECT_EQ(study.observer.last.measured, 8U);
  EXPECT_EQ(study.pool.retired, std::set<std::size_t>{1});
}

TEST(TunerEvents, AStudyThatCanNeverAcceptAnyMoreEndsWithTheDeviceThatItLost) {
  StudyDriver study(fakes::command_problem(500), 3);
  study.problem.acceptance.consensus = search::Consensus::kMajority;
  study.problem.acceptance.majority = 2;
  study.pool.on_measure = [&](const Job& order) {
    if (order.trial.value == 10) study.pool.injected.push_back(DeviceFailed{1, "unplugged"});
    if (order.trial.value == 20) study.pool.injected.push_back(DeviceFailed{0, "gone"});
    return study.answer(order);
  };
  EXPECT_THAT(study.failure_of_run(),
              AllOf(HasSubstr("acceptance.majority = 2 needs 2 devices, not 1"),
                    HasSubstr("unplugged"), HasSubstr("gone")));
  EXPECT_LT(study.observer.last.evaluations, 30U);
}

// What was accepted is; nothing more was to be.
TEST(TunerEvents, ADeviceThatIsLostWhenAllIsDecidedChangesNothing) {
  StudyDriver study(fakes::command_problem(4), 2);
  study.problem.acceptance.devices_least = 2;
  study.pool.on_measure = [&](const Job& order) {
    if (study.observer.last.evaluations == 3) {
      study.pool.injected.push_back(DeviceFailed{1, "unplugged"});
    }
    return study.answer(order);
  };
  EXPECT_FALSE(study.run().interrupted);
  EXPECT_EQ(study.journal.history.status, "completed");
}

TEST(TunerEvents, LosingTheLastDeviceEndsTheStudy) {
  StudyDriver study(fakes::command_problem(8));
  study.pool.on_measure = [&](const Job& order) {
    if (order.trial.value == 4) study.pool.injected.push_back(DeviceFailed{0, "gone"});
    return study.answer(order);
  };
  EXPECT_THAT(study.failure_of_run(), AllOf(HasSubstr("gone"), EndsWith("; no device is left")));
}

TEST(TunerEvents, TheFirstSignalLetsMeasurementsFinishAndTheSecondDoesNot) {
  StudyDriver gentle(fakes::command_problem(50));
  gentle.pool.on_measure = [&](const Job& order) {
    if (order.trial.value == 5) gentle.pool.injected.push_back(Interrupted{1});
    return gentle.answer(order);
  };
  EXPECT_TRUE(gentle.run().interrupted);
  EXPECT_EQ(gentle.journal.history.status, "interrupted");
  EXPECT_TRUE(gentle.journal.history.trials.back().finished);

  StudyDriver hard(fakes::command_problem(50));
  hard.pool.injected = {Nothing{}, Interrupted{1}, Interrupted{2}};
  EXPECT_TRUE(hard.run().interrupted);
  EXPECT_EQ(hard.pool.measured.size(), 1U);
}

}  // namespace
}  // namespace nightshift::scheduler
