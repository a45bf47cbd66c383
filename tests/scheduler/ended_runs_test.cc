// Configurations that take the whole run with them: what a study that goes on makes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "scheduler/errors.h"
#include "scheduler/summary/summary.h"
#include "tests/fakes/study_driver.h"

namespace nightshift::scheduler {
namespace {

using fakes::StudyDriver;
using search::JobKind;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

// What a run left that died while it explored x, for the `deaths`th time.
History died_with(int x, std::uint32_t deaths, const search::Problem& problem, int builders) {
  StudyDriver first(problem, 3, builders);
  first.pool.on_measure = [&](const Job& order) {
    if (fakes::x_of(order.evaluation().configuration) == x) first.pool.injected = {Interrupted{2}};
    return first.answer(order);
  };
  first.run();
  History history = first.journal.history;
  history.deaths = static_cast<int>(deaths);
  for (TrialRecord& trial : history.trials) {
    const bool is_it = fakes::x_of(trial.proposed.configuration) == x;
    if (!is_it || trial.proposed.job != JobKind::kExplore) continue;
    trial.finished.reset();
    trial.deaths = deaths;
  }
  std::erase_if(history.events, [&](const HistoryEvent& event) {
    const auto* end = std::get_if<FinishedEvent>(&event);
    return end != nullptr && !history.trials[end->trial].finished;
  });
  return history;
}

TEST(EndedRuns, OneDeathIsNoReason) {
  const search::Problem problem = fakes::command_problem(12);
  StudyDriver study(problem, 3);
  study.resume(died_with(4, 1, problem, 0));
  EXPECT_EQ(study.observer.last.measured, 12U);
  EXPECT_TRUE(study.observer.remarks.empty());
  const auto& first = study.pool.measured;
  const auto at = std::ranges::find_if(
      first, [](const Job& j) { return fakes::x_of(j.evaluation().configuration) == 4; });
  EXPECT_LT(at - first.begin(), 6) << "it goes on where it was: behind the baselines";
}

TEST(EndedRuns, WhatTwoRunsDiedWithComesLastAlone) {
  const search::Problem problem = fakes::command_problem(12);
  StudyDriver study(problem, 3);
  study.resume(died_with(4, 2, problem, 0));
  ASSERT_FALSE(study.pool.measured.empty());
  EXPECT_EQ(fakes::x_of(study.pool.measured.back().evaluation().configuration), 4);
  EXPECT_EQ(study.pool.beside.back(), 0);
  EXPECT_EQ(study.observer.last.measured, 12U);
  EXPECT_THAT(study.observer.remarks, Contains(HasSubstr("it comes last, alone")));
  const auto& steps = study.explored(4).changes;
  EXPECT_THAT(std::ranges::find(steps, TrialState::kRetry, &StateChange::state)->detail,
              AllOf(HasSubstr("2 runs died"), HasSubstr("comes last, alone")));
}

TEST(EndedRuns, ItsBuildIsAloneAsWell) {
  const search::Problem problem = fakes::host_problem(12);
  StudyDriver study(problem, 3, 4);
  std::size_t built = 0, measured = 0;
  const auto build = study.pool.on_build;
  study.pool.on_build = [&](const Job& order) {
    if (fakes::x_of(order.build().configuration) == 4) {
      built = study.pool.built.size();
      measured = study.pool.measured.size();
    }
    return build(order);
  };
  study.resume(died_with(4, 2, problem, 4));
  EXPECT_EQ(built, study.pool.built.size()) << "all others are built, and nothing meanwhile";
  EXPECT_EQ(measured + 1, study.pool.measured.size()) << "all others are measured";
  EXPECT_EQ(study.observer.last.measured, 12U);
}

TEST(EndedRuns, TheThirdDeathIsItsResult) {
  const search::Problem problem = fakes::command_problem(12);
  StudyDriver study(problem, 3);
  study.resume(died_with(4, 3, problem, 0));
  EXPECT_EQ(study.observer.last.measured, 11U);
  for (const Job& job : study.pool.measured) {
    EXPECT_NE(fakes::x_of(job.evaluation().configuration), 4);
  }
  const FinishedTrial& end = *study.explored(4).finished;
  EXPECT_EQ(end.attempts, 3U);
  ASSERT_TRUE(std::holds_alternative<search::DeviceLost>(end.report.outcome));
  EXPECT_THAT(search::describe(end.report.outcome), HasSubstr("3 runs died while it was in hand"));
  EXPECT_EQ(study.observer.last.evaluations, 12U) << "and the searcher was told";
}

TEST(EndedRuns, WhereTheTimeIsUpASuspectIsLeftToALaterRun) {
  search::Problem problem = fakes::command_problem(1000);
  problem.budget = {};
  problem.budget.seconds = 2;
  const History earlier = died_with(4, 2, problem, 0);
  problem.budget.seconds = 4;
  StudyDriver study(problem, 3);
  EXPECT_FALSE(study.resume(earlier).interrupted);
  EXPECT_FALSE(study.explored(4).finished);
}

TEST(EndedRuns, ARecordingEndsNone) {
  const search::Problem problem = fakes::recorded_problem(12);
  StudyDriver study(problem, 3);
  study.resume(died_with(4, 3, problem, 0));
  EXPECT_EQ(study.observer.last.measured, 12U);
}

TEST(EndedRuns, AfterOneWhatBeginsIsOnTheDiskBeforeItDoes) {
  const search::Problem problem = fakes::command_problem(12);
  History earlier = died_with(4, 1, problem, 0);
  StudyDriver careful(problem, 3), usual(problem, 3);
  careful.resume(earlier);
  EXPECT_GE(careful.journal.durable, careful.pool.measured.size());
  earlier.deaths = 0;
  usual.resume(earlier);
  EXPECT_LT(usual.journal.durable, usual.pool.measured.size());
}

// --- The count ---

StateChange step(TrialState state, double at) { return {state, 1, "", "", at}; }

std::uint32_t explored_deaths(const std::vector<StateChange>& changes,
                              const std::vector<RunSpan>& died) {
  return deaths_with(JobKind::kExplore, changes, died);
}

TEST(EndedRuns, WhatWasInHandWhenARunDiedIsCounted) {
  const std::vector<RunSpan> died = {{0, 10}, {20, 30}};
  using S = TrialState;
  EXPECT_EQ(explored_deaths({}, died), 0U);
  EXPECT_EQ(explored_deaths({step(S::kBuilding, 1)}, died), 1U);
  EXPECT_EQ(explored_deaths({step(S::kBuilding, 1), step(S::kBuilt, 2)}, died), 0U) << "it waited";
  EXPECT_EQ(explored_deaths({step(S::kRunning, 1), step(S::kRetry, 2)}, died), 0U) << "it waited";
  EXPECT_EQ(explored_deaths({step(S::kRunning, 12)}, died), 0U) << "in a run that did not die";
  EXPECT_EQ(explored_deaths({step(S::kRunning, 10)}, died), 0U) << "of the next run";
  EXPECT_EQ(explored_deaths({step(S::kRunning, 1), step(S::kRunning, 25)}, died), 2U);
}

TEST(EndedRuns, TheThirdDeathCountsOnlyWhereItWasAlone) {
  const std::vector<RunSpan> died = {{0, 10}, {10, 20}, {20, 30}};
  using S = TrialState;
  const std::vector<StateChange> twice = {step(S::kRunning, 1), step(S::kRunning, 11)};
  auto beside_others = twice, alone = twice;
  beside_others.push_back(step(S::kRunning, 21));
  alone.insert(alone.end(), {step(S::kRetry, 20), step(S::kRunning, 25)});
  EXPECT_EQ(explored_deaths(beside_others, died), 2U);
  EXPECT_EQ(explored_deaths(alone, died), 3U);
}

TEST(EndedRuns, OfWhatCannotWaitUntilItIsAloneAllCount) {
  std::vector<RunSpan> died;
  std::vector<StateChange> steps;
  for (int run = 0; run < 5; ++run) {
    died.push_back({10.0 * run, 10.0 * run + 10});
    steps.push_back(step(TrialState::kRunning, 10.0 * run + 1));
  }
  EXPECT_EQ(deaths_with(JobKind::kExplore, steps, died), 2U);
  EXPECT_EQ(deaths_with(JobKind::kConfirm, steps, died), 5U);
  EXPECT_EQ(deaths_with(JobKind::kBaseline, steps, died), 5U);
}

// --- Baselines and confirmations ---

search::Problem with_a_winner() { return fakes::claiming(fakes::command_problem(12)); }

double four_wins(int x, std::size_t) { return x == 4 ? 0.8 : x == 7 ? 0.85 : 1.0; }

// What a run left that died in the first of these evaluations of x, for the `deaths`th time.
History died_in(JobKind job, int x, std::uint32_t deaths) {
  StudyDriver first(with_a_winner());
  first.cost = four_wins;
  search::TrialId fatal;
  first.pool.on_measure = [&](const Job& order) {
    const ProposedTrial& trial = first.journal.history.trials[order.trial.value - 1].proposed;
    const bool is_it =
        trial.job == job && fakes::x_of(order.evaluation().configuration) == x && fatal.value == 0;
    if (is_it) {
      fatal = order.trial;
      first.pool.injected = {Interrupted{2}};
    }
    return first.answer(order);
  };
  first.run();
  History history = first.journal.history;
  history.deaths = static_cast<int>(deaths);
  TrialRecord& trial = history.trials.at(fatal.value - 1);
  trial.finished.reset();
  trial.deaths = deaths;
  std::erase_if(history.events, [&](const HistoryEvent& event) {
    const auto* end = std::get_if<FinishedEvent>(&event);
    return end != nullptr && !history.trials[end->trial].finished;
  });
  return history;
}

StudySummary resumed_after(const History& earlier) {
  StudyDriver study(with_a_winner());
  study.cost = four_wins;
  study.resume(earlier);
  return summarise(study.journal.history, study.problem);
}

TEST(EndedRuns, WhatIsConfirmedHasFourMoreChancesAndLosesByTheFifth) {
  const StudySummary after_four = resumed_after(died_in(JobKind::kConfirm, 4, 4));
  ASSERT_TRUE(after_four.accepted) << after_four.reason;
  EXPECT_NEAR(after_four.ratio, 0.8, 0.01);
  const StudySummary after_five = resumed_after(died_in(JobKind::kConfirm, 4, 5));
  ASSERT_TRUE(after_five.accepted) << after_five.reason;
  EXPECT_NEAR(after_five.ratio, 0.85, 0.01) << "the next best";
}

TEST(EndedRuns, ABaselineHasAsMany) {
  EXPECT_TRUE(resumed_after(died_in(JobKind::kBaseline, -1, 4)).accepted);
}

TEST(EndedRuns, ABaselineThatRunsDieOfFailsItsDevice) {
  StudyDriver study(with_a_winner());
  try {
    study.resume(died_in(JobKind::kBaseline, -1, 5));
    FAIL() << "the study has no device";
  } catch (const StudyError& error) {
    EXPECT_THAT(error.what(), HasSubstr("5 runs died while it was in hand"));
  }
}

}  // namespace
}  // namespace nightshift::scheduler
