#include "scheduler/stop_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "scheduler/errors.h"
#include "tests/fakes/evaluation_driver.h"
#include "tests/fakes/study_driver.h"

namespace nightshift::scheduler {
namespace {

using fakes::StudyDriver;
using search::Crashed;
using ::testing::HasSubstr;

Crashed killed_by(int signal) {
  return {Crashed::Cause::kSignal, signal, search::Phase::kMeasure, ""};
}
Crashed exited(int code) { return {Crashed::Cause::kExitCode, code, search::Phase::kMeasure, ""}; }

// How the first job of a device ends, given as an outcome, and `later` seconds afterwards a stop
// signal is read. What became of the trial: nullopt where it was put back.
std::optional<search::TrialOutcome> fate_of(const search::TrialOutcome& outcome, double later,
                                            bool builds = false) {
  fakes::FakeClock clock;
  fakes::FakePool pool(clock, 1);
  StopGate gate(clock, StopGate::Seconds{30});
  JobEnded ended;
  if (!builds) ended.device = 0;
  ended.report.outcome = outcome;
  pool.injected = {ended};
  const auto start = clock.now();
  const auto deadline = start + std::chrono::hours(1);
  bool signalled = false;
  while (true) {
    const double elapsed = std::chrono::duration<double>(clock.now() - start).count();
    if (!signalled && elapsed >= later) {
      signalled = true;
      pool.injected.push_back(Interrupted{1, SIGTERM});
    }
    // As the pool would wake up for the signal.
    const auto wake = signalled ? deadline
                                : start + std::chrono::duration_cast<Clock::TimePoint::duration>(
                                              std::chrono::duration<double>(later));
    const PoolEvent event = gate.wait(pool, wake);
    if (const auto* end = std::get_if<JobEnded>(&event)) {
      return end->put_back ? std::nullopt : std::optional(end->report.outcome);
    }
  }
}

TEST(StopGate, AFailureThatTheSignalMayHaveCausedCountsOnlyWhereItCannotHave) {
  const search::TrialOutcome ended{killed_by(SIGTERM)};
  EXPECT_EQ(fate_of(ended, 0.001), std::nullopt);
  EXPECT_EQ(fate_of(ended, 0.9), std::nullopt) << "the signal was still on its way";
  EXPECT_EQ(fate_of(ended, 1.1), ended);
  EXPECT_EQ(fate_of(killed_by(SIGINT), 0.9), std::nullopt);
  EXPECT_EQ(fate_of(exited(128 + SIGTERM), 0.9), std::nullopt) << "as a shell says it";
}

TEST(StopGate, AProgramMayCatchTheSignalAndEndByItself) {
  EXPECT_EQ(fate_of(exited(1), 0.04), std::nullopt);
  EXPECT_EQ(fate_of(exited(1), 0.2), search::TrialOutcome{exited(1)});
  const search::TrialOutcome cut_off{Crashed{Crashed::Cause::kCorruptReply, 0, {}, ""}};
  EXPECT_EQ(fate_of(cut_off, 0.04), std::nullopt);
  EXPECT_EQ(fate_of(search::BuildFailed{"Terminated"}, 0.04, /*builds=*/true), std::nullopt);
}

TEST(StopGate, WhatNoSignalCausesIsNotHeldBack) {
  for (const search::TrialOutcome& outcome :
       {search::TrialOutcome{killed_by(SIGSEGV)}, search::TrialOutcome{search::WrongResult{}},
        search::TrialOutcome{search::LaunchFailed{"refused"}},
        search::TrialOutcome{search::DeviceLost{"gone"}}, search::TrialOutcome{},
        search::TrialOutcome{search::BuildFailed{"as it was recorded"}}}) {
    EXPECT_EQ(fate_of(outcome, 0.0001), outcome) << search::describe(outcome);
  }
}

// --- In a study ---

TEST(StopGate, AfterAStopNoFailureIsAnOutcome) {
  StudyDriver study(fakes::command_problem(8));
  study.pool.on_measure = [&](const Job& order) {
    JobEnded done = study.answer(order);
    // Read while the fifth is in flight.
    if (order.trial.value == 4) study.pool.injected.push_back(Interrupted{1, SIGTERM});
    if (order.trial.value == 5) done.report.outcome = killed_by(SIGSEGV);
    return done;
  };
  const StudyEnd end = study.run();
  EXPECT_TRUE(end.interrupted);
  EXPECT_EQ(end.reason, "stopped by SIGTERM");
  ASSERT_EQ(study.journal.history.trials.size(), 5U);
  EXPECT_TRUE(study.journal.history.trials[3].finished);
  EXPECT_FALSE(study.journal.history.trials[4].finished);
  EXPECT_EQ(study.searcher.told.size(), 3U);
}

// Deaths by the stop signal arrive first, of a device's job, a build, and of all that replaces
// them.
void expect_no_fault(search::Problem problem, int builders) {
  StudyDriver study(problem, 1, builders);
  bool dying = false;
  const auto die = [&](const Job& order) {
    JobEnded done;
    if (order.builds()) {
      done.report.outcome = search::BuildFailed{"fatal error: Terminated"};
    } else {
      done.report.outcome = killed_by(SIGTERM);
      done.fresh_process = order.fresh_process;
    }
    return done;
  };
  const auto build = study.pool.on_build;
  int deaths = 0;
  const auto maybe_die = [&](const Job& order, const auto& usual) {
    dying = dying || order.trial.value >= 4;
    if (!dying) return usual(order);
    if (++deaths == 2) study.pool.injected.push_back(Interrupted{1, SIGTERM});
    return die(order);
  };
  study.pool.on_measure = [&](const Job& order) {
    return maybe_die(order, [&](const Job& o) { return study.answer(o); });
  };
  study.pool.on_build = [&](const Job& order) { return maybe_die(order, build); };
  const StudyEnd end = study.run();
  EXPECT_TRUE(end.interrupted) << end.reason;
  for (const TrialRecord& trial : study.journal.history.trials) {
    EXPECT_FALSE(trial.finished && search::is_failure(trial.finished->report.outcome))
        << trial.proposed.id.value;
  }
  for (const auto& [x, observation] : study.searcher.told) EXPECT_TRUE(observation.score) << x;

  StudyDriver resumed(problem, 1, builders);
  EXPECT_FALSE(resumed.resume(study.journal.history).interrupted);
  EXPECT_EQ(resumed.observer.last.measured, 8U);
  for (const TrialRecord& trial : resumed.journal.history.trials) {
    EXPECT_TRUE(trial.finished && !search::is_failure(trial.finished->report.outcome))
        << trial.proposed.id.value;
  }
}

TEST(StopGate, HealthyConfigurationsThatDieOfTheStopAreMeasuredAgainByResume) {
  expect_no_fault(fakes::command_problem(8), 0);
}

TEST(StopGate, HealthyBuildsThatDieOfTheStopAreBuiltAgainByResume) {
  expect_no_fault(fakes::host_problem(8), 2);
}

TEST(StopGate, ABaselineThatDiesOfTheStopDoesNotFailTheStudy) {
  StudyDriver study(fakes::command_problem(3));
  study.pool.on_measure = [&](const Job& order) {
    if (order.attempt == 2) study.pool.injected.push_back(Interrupted{1, SIGTERM});
    JobEnded done;
    done.report.outcome = killed_by(SIGTERM);
    done.fresh_process = order.fresh_process;
    return done;
  };
  EXPECT_TRUE(study.run().interrupted);
  EXPECT_EQ(study.journal.history.status, "interrupted");
}

TEST(StopGate, ADeviceThatCannotStartWhileStoppingIsNotLost) {
  StudyDriver study(fakes::command_problem(3));
  study.pool.injected = {Nothing{}, Interrupted{1, SIGTERM}, DeviceFailed{0, "its evaluators die"}};
  EXPECT_TRUE(study.run().interrupted);
  EXPECT_TRUE(study.pool.retired.empty());
}

TEST(StopGate, ADeathByTheSignalWithoutAnyStopCountsInTheEnd) {
  StudyDriver study(fakes::command_problem(3));
  study.failures[{1, 1}] = study.failures[{1, 2}] = killed_by(SIGTERM);
  EXPECT_FALSE(study.run().interrupted);
  EXPECT_EQ(study.explored(1).finished->report.outcome, search::TrialOutcome{killed_by(SIGTERM)});
}

TEST(StopGate, TheGraceIsAsLongAsItWasAskedFor) {
  StudyDriver study(fakes::command_problem(50));
  study.stop_times.grace = 7;
  study.pool.seconds_per_event = 100;  // what is in flight does not end in time
  study.pool.on_measure = [&](const Job& order) { return study.answer(order); };
  study.pool.injected = {Nothing{}, Interrupted{1, SIGUSR2}};
  study.pool.hang = true;
  const auto before = study.clock.now();
  EXPECT_EQ(study.run().reason, "stopped by SIGUSR2");
  EXPECT_NEAR(std::chrono::duration<double>(study.clock.now() - before).count(), 7, 0.2);
}

// `compare` and `noise` end, and do not say that one of the two fails.
TEST(StopGate, AnEvaluationLoopTakesNoFaultEither) {
  struct Plan final : EvaluationPlan {
    std::optional<PlannedEvaluation> next(DeviceIndex) override { return PlannedEvaluation{}; }
    void ended(DeviceIndex, const PlannedEvaluation&, const TrialEnd& end) override {
      if (search::is_failure(end.report.outcome)) throw StudyError("it failed");
    }
    void lost(DeviceIndex, const std::string&) override {}
  } plan;
  fakes::EvaluationDriver d(fakes::command_problem(4));
  d.pool.on_measure = [&](const Job& order) {
    if (order.attempt == 2) d.pool.injected.push_back(Interrupted{1, SIGINT});
    JobEnded done;
    done.report.outcome = killed_by(SIGINT);
    done.fresh_process = order.fresh_process;
    return done;
  };
  EvaluationLoop loop = d.runner({1});
  EXPECT_FALSE(loop.run(plan));
}

// --- Winding up ---

TEST(WindUp, EndsTheExplorationAndHoldsDuelAndHoldOut) {
  search::Problem problem = fakes::claiming(fakes::command_problem(1000));
  problem.acceptance.self_test_pairs = 0;
  StudyDriver study(problem);
  study.cost = [](int x, std::size_t) { return x == 5 ? 0.5 : 1.0; };
  study.pool.on_measure = [&](const Job& order) {
    const int x = fakes::x_of(order.evaluation().configuration);
    if (x == 5 && study.evaluations[5] == 0) study.pool.injected.push_back(WindUp{});
    return study.answer(order);
  };
  const StudyEnd end = study.run();
  EXPECT_TRUE(end.interrupted) << "the rest of the space waits for a resume";
  EXPECT_EQ(end.reason, "the exploration was ended by SIGUSR1");
  EXPECT_LE(study.observer.last.evaluations, 7U);
  ASSERT_GE(study.observer.verdicts.size(), 2U);
  EXPECT_EQ(study.observer.setups.back().purpose, Purpose::kHoldOut);
  EXPECT_TRUE(search::is_accepted(study.observer.verdicts.back().verdict));

  // It goes on where it was.
  StudyDriver resumed(problem);
  resumed.problem.budget.trials = 20;
  EXPECT_FALSE(resumed.resume(study.journal.history).interrupted);
  EXPECT_EQ(resumed.observer.last.evaluations, 20U);
}

TEST(WindUp, ADuelThatCannotEndInTimeLeavesTheHoldOutItsTime) {
  search::Problem problem = fakes::claiming(fakes::command_problem(1000));
  problem.acceptance.self_test_pairs = 0;
  StudyDriver study(problem);
  study.stop_times.wind_up = 3;
  // Trial 3 is accepted; what comes then is equal to it, so that its duel would take long.
  study.cost = [](int x, std::size_t) { return x >= 40 ? 0.49 : x >= 2 ? 0.5 : 1.0; };
  study.pool.on_measure = [&](const Job& order) {
    if (order.trial.value == 300) study.pool.injected.push_back(WindUp{});
    return study.answer(order);
  };
  const auto before = study.clock.now();
  study.run();
  const double took = std::chrono::duration<double>(study.clock.now() - before).count();
  ASSERT_FALSE(study.observer.setups.empty());
  EXPECT_EQ(study.observer.setups.back().purpose, Purpose::kHoldOut);
  EXPECT_LT(took, 300 * 0.011 + 3 + 1) << "it took its time and no more";
}

TEST(WindUp, WhereNothingIsLeftToExploreTheStudyIsCompleted) {
  search::Problem problem = fakes::claiming(fakes::command_problem(4));
  problem.acceptance.self_test_pairs = 0;
  StudyDriver study(problem);
  study.cost = [](int x, std::size_t) { return x == 1 ? 0.5 : 1.0; };
  bool done = false;
  study.pool.on_measure = [&](const Job& order) {
    const ProposedTrial& trial = study.journal.history.trials[order.trial.value - 1].proposed;
    const auto& setups = study.journal.history.confirmations;
    const bool holds_out = !setups.empty() && setups.back().purpose == Purpose::kHoldOut;
    if (holds_out && trial.job == search::JobKind::kConfirm && !std::exchange(done, true)) {
      study.pool.injected.push_back(WindUp{});
    }
    return study.answer(order);
  };
  EXPECT_FALSE(study.run().interrupted);
  EXPECT_TRUE(done);
  EXPECT_EQ(study.journal.history.status, "completed");
}

}  // namespace
}  // namespace nightshift::scheduler
