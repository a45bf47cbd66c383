#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/fakes/study_driver.h"

namespace nightshift::scheduler {
namespace {

using fakes::kSegfault;
using fakes::StudyDriver;
using search::JobKind;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<JobKind> jobs(const StudyDriver& study) {
  std::vector<JobKind> out;
  for (const Job& order : study.pool.measured) {
    out.push_back(study.journal.history.trials[order.trial.value - 1].proposed.job);
  }
  return out;
}

TEST(Tuner, MeasuresTheBaselineFirstAndThenTheWholeSpace) {
  StudyDriver study(fakes::command_problem(4));
  const StudyEnd end = study.run();
  EXPECT_FALSE(end.interrupted);
  EXPECT_THAT(end.reason, HasSubstr("all 4 configurations"));
  ASSERT_EQ(study.pool.measured.size(), 5U);
  EXPECT_TRUE(study.pool.measured.front().evaluation().configuration.is_baseline());
  EXPECT_EQ(jobs(study).front(), JobKind::kBaseline);
  EXPECT_EQ(study.searcher.told.size(), 4U);
  EXPECT_EQ(study.journal.history.status, "completed");
}

TEST(Tuner, NothingRunsOnADeviceBeforeItsBaseline) {
  StudyDriver study(fakes::command_problem(20), 3);
  study.run();
  std::set<std::size_t> seen;
  for (const Job& order : study.pool.measured) {
    if (seen.insert(order.device).second) {
      EXPECT_TRUE(order.evaluation().configuration.is_baseline()) << "device " << order.device;
    }
  }
  EXPECT_EQ(seen.size(), 3U);
}

TEST(Tuner, ScoresAreRelativeToTheBaselineOfTheSameDevice) {
  StudyDriver study(fakes::command_problem(6), 2);
  study.cost = [](int, std::size_t device) { return device == 0 ? 1.0 : 3.0; };
  study.run();
  for (const auto& [x, observation] : study.searcher.told) {
    ASSERT_TRUE(observation.score);
    EXPECT_NEAR(observation.score->value, 1, 0.01) << x;
  }
  EXPECT_TRUE(study.observer.verdicts.empty());
}

TEST(Tuner, AnImprovementIsAcceptedAfterPairsOnAllDevices) {
  StudyDriver study(fakes::command_problem(3), 2);
  study.cost = [](int x, std::size_t device) {
    return (x == 1 ? 0.8 : 1.0) * (device == 0 ? 1 : 1.05);
  };
  study.run();
  ASSERT_EQ(study.observer.verdicts.size(), 1U);
  const search::Verdict& verdict = study.observer.verdicts.front().verdict;
  EXPECT_TRUE(std::holds_alternative<search::Accept>(verdict.acceptance))
      << search::reason_of(verdict.acceptance);
  EXPECT_NEAR(verdict.ratio, 0.8, 0.01);
  std::map<std::pair<std::string, Arm>, int> evaluations;
  for (const TrialRecord& t : study.journal.history.trials) {
    if (t.proposed.job == JobKind::kConfirm) ++evaluations[{t.proposed.device, t.proposed.arm}];
  }
  EXPECT_EQ(evaluations.size(), 4U);
  for (const auto& [who, count] : evaluations) EXPECT_EQ(count, 4) << "the first look";
}

TEST(Tuner, ALuckyMeasurementIsNotAccepted) {
  StudyDriver study(fakes::command_problem(3));
  bool first = true;
  study.cost = [&first](int x, std::size_t) {
    return x == 1 && std::exchange(first, false) ? 0.5 : 1.0;
  };
  study.run();
  ASSERT_EQ(study.observer.verdicts.size(), 1U);
  EXPECT_TRUE(
      std::holds_alternative<search::Reject>(study.observer.verdicts[0].verdict.acceptance));
  EXPECT_FALSE(study.observer.last.incumbent_ratio);
}

TEST(Tuner, ALaterCandidateIsComparedWithTheIncumbent) {
  StudyDriver study(fakes::command_problem(12));
  study.cost = [](int x, std::size_t) { return x == 0 ? 0.8 : x == 11 ? 0.6 : 1.0; };
  study.run();
  ASSERT_EQ(study.observer.verdicts.size(), 2U);
  EXPECT_NEAR(study.observer.verdicts[0].verdict.ratio, 0.8, 0.01);
  EXPECT_NEAR(study.observer.verdicts[1].verdict.ratio, 0.75, 0.01);
  EXPECT_NEAR(study.observer.last.incumbent_ratio.value(), 0.6, 0.01);
  std::map<Arm, int> evaluations;
  for (const TrialRecord& t : study.journal.history.trials) {
    if (t.proposed.confirmation.value == 2) ++evaluations[t.proposed.arm];
  }
  EXPECT_EQ(evaluations[Arm::kCandidate], 8);
  EXPECT_EQ(evaluations[Arm::kIncumbent], 8);
  EXPECT_EQ(evaluations[Arm::kBaseline], 1) << "every eighth round, to show drift";
}

TEST(Tuner, WorseThanTheIncumbentIsNotConfirmed) {
  StudyDriver study(fakes::command_problem(12));
  study.cost = [](int x, std::size_t) { return x == 0 ? 0.5 : x == 11 ? 0.8 : 1.0; };
  study.run();
  EXPECT_EQ(study.observer.verdicts.size(), 1U);
}

TEST(Tuner, ACandidateThatFailsWhileItIsConfirmedIsRejected) {
  StudyDriver study(fakes::command_problem(2));
  int evaluations = 0;
  study.cost = [](int x, std::size_t) { return x == 0 ? 0.5 : 1.0; };
  study.pool.on_measure = [&](const Job& order) {
    JobEnded done = study.answer(order);
    if (fakes::x_of(order.evaluation().configuration) == 0 && ++evaluations == 3) {
      done.report.outcome = search::WrongResult{"y", 3, 1, 2, 1, 0.1};
    }
    return done;
  };
  study.run();
  ASSERT_EQ(study.observer.verdicts.size(), 1U);
  EXPECT_THAT(search::reason_of(study.observer.verdicts[0].verdict.acceptance),
              HasSubstr("failed"));
}

TEST(Tuner, ABaselineThatIsNotPositiveIsAFailure) {
  for (const double value : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    StudyDriver study(fakes::command_problem(3));
    study.cost = [value](int x, std::size_t) { return x < 0 ? value : 1.0; };
    EXPECT_THAT(study.failure_of_run(), HasSubstr("time")) << value;
    EXPECT_TRUE(study.searcher.told.empty());
  }
}

TEST(Tuner, ATrialWithAnUnusableFigureFailsAndNeverBecomesTheBest) {
  for (const double value : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    StudyDriver study(fakes::command_problem(2));
    study.cost = [value](int x, std::size_t) { return x == 1 ? value : 1.0; };
    study.run();
    EXPECT_TRUE(
        std::holds_alternative<search::LaunchFailed>(study.explored(1).finished->report.outcome));
    EXPECT_FALSE(study.searcher.told.back().second.score);
    EXPECT_TRUE(study.observer.verdicts.empty());
  }
}

TEST(Tuner, FailuresCountTowardsTheBudgetAndConfirmationsDoNot) {
  StudyDriver study(fakes::command_problem(50));
  study.problem.budget.trials = 10;
  study.cost = [](int x, std::size_t) { return x == 2 ? 0.7 : 1.0; };
  study.failures[{4, 1}] = study.failures[{5, 1}] = search::LaunchFailed{"no"};
  const StudyEnd end = study.run();
  EXPECT_EQ(study.observer.last.evaluations, 10U);
  EXPECT_EQ(study.observer.last.by_status[2], 2U);
  EXPECT_EQ(study.observer.verdicts.size(), 1U);
  EXPECT_THAT(end.reason, HasSubstr("10 configurations"));
}

TEST(Tuner, TimeAndStallBudgetsEndTheStudy) {
  StudyDriver timed(fakes::command_problem(1000));
  timed.problem.budget = {};
  timed.problem.budget.seconds = 1;
  EXPECT_THAT(timed.run().reason, HasSubstr("time budget"));
  EXPECT_NEAR(static_cast<double>(timed.observer.last.evaluations), 98, 4);

  StudyDriver stalled(fakes::command_problem(1000));
  stalled.problem.budget.stall = 7;
  stalled.cost = [](int x, std::size_t) { return x == 3 ? 0.9 : 1.0; };
  EXPECT_THAT(stalled.run().reason, HasSubstr("last 7"));
  EXPECT_EQ(stalled.observer.last.evaluations, 11U);
}

TEST(Tuner, TheClockBeginsWhenTheFirstProcessStands) {
  for (const bool builds : {false, true}) {
    StudyDriver study(builds ? fakes::host_problem(1000) : fakes::command_problem(1000), 1,
                      builds ? 2 : 0);
    study.problem.budget = {};
    study.problem.budget.seconds = 1;
    study.pool.stands_at = study.pool.seconds() + 60;
    EXPECT_THAT(study.run().reason, HasSubstr("time budget"));
    EXPECT_NEAR(study.observer.last.elapsed, 1, 0.2);
    EXPECT_GT(study.observer.last.evaluations, 40U);
    EXPECT_THAT(study.observer.remarks,
                ::testing::Contains(HasSubstr("it took 60.0 s until the first process could " +
                                              std::string(builds ? "build" : "measure"))));
  }
}

TEST(Tuner, WhatIsKeptForTheHoldOutEndsAStudyByItsTimeBudget) {
  search::Problem problem = fakes::claiming(fakes::command_problem(1000));
  problem.budget = {};
  problem.budget.seconds = 2;
  StudyDriver study(problem);
  const StudyEnd end = study.run();
  EXPECT_LT(study.observer.last.elapsed, 2) << "nothing was left to confirm";
  EXPECT_THAT(end.reason, ::testing::MatchesRegex("the time budget of 2 s is used up but for "
                                                  "0\\.[0-9]+ s, which were kept for .*"));

  StudyDriver small(fakes::command_problem(5));
  small.problem.budget = problem.budget;
  EXPECT_EQ(small.run().reason, "all 5 configurations of the space were evaluated");
}

TEST(Tuner, AMaximisedObjectiveIsTurnedAround) {
  search::Problem problem = fakes::command_problem(3);
  problem.objectives = {{"time", "GB/s", search::Direction::kMaximise}};
  StudyDriver study(problem);
  study.cost = [](int x, std::size_t) { return x == 1 ? 125.0 : 100.0; };
  study.run();
  ASSERT_EQ(study.observer.verdicts.size(), 1U);
  EXPECT_NEAR(study.observer.verdicts[0].verdict.ratio, 0.8, 0.01);
  EXPECT_NEAR(study.searcher.told[1].second.score->value, 0.8, 0.01);
}

TEST(Tuner, TheBaselineIsMeasuredAgainOnSchedule) {
  search::Problem problem = fakes::command_problem(100);
  problem.scheduling.rebaseline_trials = 20;
  StudyDriver study(problem);
  study.run();
  int again = 0;
  for (const JobKind job : jobs(study)) again += job == JobKind::kRebaseline ? 1 : 0;
  EXPECT_EQ(again, 4);
}

TEST(Tuner, ARowOfDeathsMakesTheDeviceProveItself) {
  search::Problem problem = fakes::command_problem(30);
  StudyDriver study(problem);
  for (int x = 5; x < 15; ++x) study.failures[{x, 1}] = study.failures[{x, 2}] = kSegfault;
  study.run();
  EXPECT_THAT(jobs(study), ::testing::Contains(JobKind::kRebaseline));
  EXPECT_EQ(study.observer.last.evaluations, 30U);
}

TEST(Tuner, ASuspectComesLastAloneAndIsThenAFailure) {
  StudyDriver study(fakes::command_problem(12), 3);
  for (std::uint32_t attempt = 1; attempt <= 3; ++attempt) {
    study.failures[{4, attempt}] = search::DeviceLost{"its link has ended"};
  }
  study.run();
  const auto& jobs = study.pool.measured;
  const auto last = std::ranges::find_if(jobs, [](const Job& job) {
    return fakes::x_of(job.evaluation().configuration) == 4 && job.attempt == 3;
  });
  ASSERT_NE(last, jobs.end());
  EXPECT_EQ(study.pool.beside.at(static_cast<std::size_t>(last - jobs.begin())), 0);
  std::set<int> before;
  for (auto job = jobs.begin(); job != last; ++job) {
    before.insert(fakes::x_of(job->evaluation().configuration));
  }
  EXPECT_EQ(before.size(), 13U) << "all others and the baseline";
  const auto& end = *study.explored(4).finished;
  EXPECT_EQ(end.attempts, 3U);
  ASSERT_TRUE(std::holds_alternative<search::DeviceLost>(end.report.outcome));
  EXPECT_THAT(search::describe(end.report.outcome), HasSubstr("3 devices were lost"));
  EXPECT_EQ(study.observer.last.measured, 11U);
  EXPECT_THAT(study.observer.remarks, ::testing::Contains(HasSubstr("it comes last, alone")));
}

TEST(Tuner, ASuspectThatWorksAfterAllCounts) {
  StudyDriver study(fakes::command_problem(6), 2);
  study.failures[{4, 1}] = study.failures[{4, 2}] = search::DeviceLost{"power"};
  study.run();
  EXPECT_EQ(study.observer.last.measured, 6U);
  EXPECT_EQ(study.explored(4).finished->attempts, 3U);
}

// What was in hand has ended, and nothing waits in a queue.
TEST(Tuner, AStudyWhoseOnlyDeviceIsAwayHasNotEnded) {
  StudyDriver study(fakes::command_problem(8));
  const double began = study.pool.seconds();
  study.pool.timed.emplace_back(began + 0.035, DeviceAway{0, "it is away"});
  study.pool.timed.emplace_back(began + 60, DeviceBack{0});
  study.run();
  EXPECT_GT(study.pool.seconds() - began, 60);
  EXPECT_EQ(study.observer.last.measured, 8U);
}

TEST(Tuner, SettingsThatCanNeverAcceptAreRefusedBeforeAnythingIsMeasured) {
  for (const int devices : {1, 2}) {
    StudyDriver study(fakes::command_problem(8), devices);
    study.problem.acceptance.devices_least = 3;
    EXPECT_THAT(
        study.failure_of_run(),
        HasSubstr("acceptance.devices_least = 3 needs 3 devices, not " + std::to_string(devices)));
    EXPECT_TRUE(study.pool.measured.empty());
    EXPECT_EQ(study.journal.history.status, "failed");
  }
}

// --- Far devices ---

JobKind kind_of(const StudyDriver& study, const Job& job) {
  return study.journal.history.trials[job.trial.value - 1].proposed.job;
}

TEST(FarDevices, HaveTheNextExplorationBeforeTheOneInHandHasEnded) {
  StudyDriver near(fakes::command_problem(40), 2), far(fakes::command_problem(40), 2);
  far.pool.far = 0.05;
  near.run();
  far.run();
  EXPECT_TRUE(near.pool.queued.empty());
  EXPECT_GT(far.pool.queued.size(), 30U);
  for (const Job& job : far.pool.queued) EXPECT_EQ(kind_of(far, job), JobKind::kExplore);
  EXPECT_EQ(far.observer.last.measured, 40U);
  EXPECT_EQ(far.pool.measured.size(), near.pool.measured.size()) << "each once";
}

TEST(FarDevices, ADuelHasItsPairsWithoutAnExplorationBetween) {
  StudyDriver study(fakes::command_problem(60), 2);
  study.pool.far = 0.05;
  study.cost = [](int x, std::size_t) { return x == 30 ? 0.5 : 1.0; };
  study.run();
  ASSERT_FALSE(study.observer.verdicts.empty());
  EXPECT_TRUE(search::is_accepted(study.observer.verdicts.front().verdict));
  EXPECT_FALSE(study.pool.recalled.empty()) << "what stood before the duel";
  for (const search::TrialId trial : study.pool.recalled) {
    const auto& record = study.journal.history.trials[trial.value - 1];
    ASSERT_TRUE(record.finished);
    EXPECT_EQ(record.finished->attempts, 1U) << "it was not begun";
    EXPECT_FALSE(search::is_failure(record.finished->report.outcome));
  }
  EXPECT_EQ(study.observer.last.measured, 60U);
}

TEST(FarDevices, ASignalLeavesWhatWasNotBegunToALaterRun) {
  StudyDriver study(fakes::command_problem(40));
  study.pool.far = 0.05;
  study.pool.on_measure = [&](const Job& order) {
    if (order.trial.value == 8) study.pool.injected.push_back(Interrupted{1});
    return study.answer(order);
  };
  EXPECT_TRUE(study.run().interrupted);
  ASSERT_EQ(study.pool.recalled.size(), 1U);
  const auto& record = study.journal.history.trials[study.pool.recalled[0].value - 1];
  EXPECT_FALSE(record.finished);
  EXPECT_EQ(study.evaluations.count(fakes::x_of(record.proposed.configuration)), 0U);

  StudyDriver later(fakes::command_problem(40));
  EXPECT_FALSE(later.resume(study.journal.history).interrupted);
  EXPECT_EQ(later.explored(fakes::x_of(record.proposed.configuration)).finished->attempts, 1U);
}

TEST(FarDevices, TimesOfATrialBeginWithItsEvaluation) {
  StudyDriver study(fakes::command_problem(20));
  study.pool.far = 0.05;
  study.run();
  ASSERT_FALSE(study.pool.queued.empty());
  for (const Job& job : study.pool.queued) {
    const auto& finished = *study.journal.history.trials[job.trial.value - 1].finished;
    EXPECT_NEAR(finished.finished - finished.started, study.pool.seconds_per_event, 1e-6);
  }
}

// --- How long an exploration may take ---

std::vector<double> patience_of_explorations(const fakes::StudyDriver& driver) {
  std::vector<double> seconds;
  for (const Job& job : driver.pool.measured) {
    const ProposedTrial& trial = driver.journal.history.trials.at(job.trial.value - 1).proposed;
    if (trial.job == JobKind::kExplore) {
      seconds.push_back(job.evaluation().patience);
    } else if (trial.job == JobKind::kBaseline) {
      EXPECT_EQ(job.evaluation().patience, 0) << "nothing is known yet";
    }
  }
  return seconds;
}

TEST(Tuner, AnExplorationMayTakeTwentyTimesAsLongAsTheBaseline) {
  const auto first = [](double event, double times) {
    fakes::StudyDriver driver(fakes::command_problem(3));
    driver.problem.limits.times_baseline = times;
    driver.pool.seconds_per_event = event;
    driver.run();
    return patience_of_explorations(driver).at(0);
  };
  EXPECT_DOUBLE_EQ(first(2, 20), 40);
  EXPECT_DOUBLE_EQ(first(2, 5), 10);
  EXPECT_DOUBLE_EQ(first(0.01, 20), 3) << "never less";
  EXPECT_DOUBLE_EQ(first(2, 0), 0);
  EXPECT_DOUBLE_EQ(first(100, 20), 0) << "limits.trial is less";
}

// A candidate may hang on inputs that it was not explored with.
TEST(Tuner, AnEvaluationOfADuelMayTakeNoLonger) {
  fakes::StudyDriver driver(fakes::command_problem(30));
  driver.cost = [](int x, std::size_t) { return x == 3 ? 0.8 : 1.0; };
  driver.run();
  std::size_t compared = 0;
  for (const Job& job : driver.pool.measured) {
    const ProposedTrial& trial = driver.journal.history.trials.at(job.trial.value - 1).proposed;
    if (trial.job != JobKind::kConfirm) continue;
    EXPECT_EQ(job.evaluation().patience, 3);
    ++compared;
  }
  EXPECT_GT(compared, 4U);
}

TEST(Tuner, ALimitThatEndedATrialIsNamedByItsKey) {
  fakes::StudyDriver driver(fakes::command_problem(4));
  driver.failures[{1, 1}] = search::TimedOut{search::Phase::kMeasure, 60, false, "it said nothing"};
  driver.failures[{2, 1}] = search::TimedOut{search::Phase::kVerify, 300, false};
  driver.run();
  const auto said = [&](int x) {
    return search::describe(driver.explored(x).finished->report.outcome);
  };
  EXPECT_THAT(said(1), HasSubstr("it said nothing; the limit is limits.measure"));
  EXPECT_THAT(said(2), HasSubstr("the limit is limits.trial"));
}

TEST(Tuner, AnEndByTheBaselinesTimesSaysSo) {
  fakes::StudyDriver driver(fakes::command_problem(3));
  driver.failures[{1, 1}] = search::TimedOut{search::Phase::kMeasure, 3, false};
  driver.run();
  const std::string said = search::describe(driver.explored(1).finished->report.outcome);
  EXPECT_THAT(
      said, AllOf(HasSubstr("follows from the baseline"), HasSubstr("limits.times_baseline is 20"),
                  HasSubstr("limits.trial sets another")));
}

// A baseline that is measured again when the time is over has not failed, and its device is not lost.
TEST(Tuner, ABaselineThatTheBudgetCutsOffCostsNoDevice) {
  fakes::StudyDriver driver(fakes::command_problem(400));
  driver.problem.budget = {};
  driver.problem.budget.seconds = 90;
  driver.pool.seconds_per_event = 1;
  bool was_cut = false;
  driver.pool.on_measure = [&](const Job& job) {
    JobEnded done = driver.answer(job);
    const TrialRecord* trial = find_trial(driver.journal.history, job.trial);
    const bool is_again = trial != nullptr && trial->proposed.job == JobKind::kRebaseline;
    if (!is_again || job.evaluation().left <= 0) return done;
    was_cut = true;
    driver.clock.advance(job.evaluation().left);
    done.report.outcome = search::TimedOut{search::Phase::kVerify, job.evaluation().left, false};
    return done;
  };
  driver.run();
  EXPECT_TRUE(was_cut);
  EXPECT_THAT(driver.observer.remarks,
              ::testing::Not(::testing::Contains(::testing::HasSubstr("the baseline failed"))));
}

TEST(Tuner, WhatTheBudgetCutsOffIsNoFailure) {
  fakes::StudyDriver driver(fakes::command_problem(8));
  driver.problem.budget = {};
  driver.problem.budget.seconds = 10;
  driver.pool.seconds_per_event = 1;
  driver.pool.on_measure = [&driver](const Job& job) {
    JobEnded done = driver.answer(job);
    if (fakes::x_of(job.evaluation().configuration) != 3) return done;
    const double patience = job.evaluation().patience;
    EXPECT_LT(patience, 10);
    driver.clock.advance(patience);
    done.report.outcome = search::TimedOut{search::Phase::kVerify, patience, false};
    return done;
  };
  const double begun = driver.pool.seconds();
  driver.run();
  for (const TrialRecord& trial : driver.journal.history.trials) {
    EXPECT_NE(fakes::x_of(trial.proposed.configuration) == 3, trial.finished.has_value());
  }
  EXPECT_LE(driver.pool.seconds() - begun, 10 + 1.5 + 1) << "half a baseline more, and a turn";
}

}  // namespace
}  // namespace nightshift::scheduler
