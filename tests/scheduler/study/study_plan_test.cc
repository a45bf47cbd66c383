// What comes next, without a pool, a journal or a clock.
#include "scheduler/study/study_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/fakes/list_searcher.h"
#include "tests/fakes/study_driver.h"

namespace nightshift::scheduler {
namespace {

using search::JobKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Carries out what the plan wants as if every trial took a second on its device.
struct PlanDriver {
  explicit PlanDriver(search::Problem p, int devices = 1)
      : problem(std::move(p)),
        space(problem.parameters, problem.constraints),
        searcher(space.size()),
        plan(problem, space, searcher) {
    for (int i = 0; i < devices; ++i) plan.add_device("d" + std::to_string(i));
    free.assign(static_cast<std::size_t>(devices), true);
  }

  // All steps of one turn; what is proposed waits in `open`.
  std::vector<StudyPlan::Step> turn(double elapsed = 0) {
    const auto now = Clock::TimePoint() + std::chrono::seconds(static_cast<int>(elapsed));
    plan.begin_turn({now, elapsed, free, 0});
    std::vector<StudyPlan::Step> steps;
    while (auto step = plan.next()) {
      if (const auto* propose = std::get_if<StudyPlan::Propose>(&*step)) {
        plan.apply(TrialProposed{propose->order.trial});
        open.push_back(propose->order.trial);
      } else if (const auto* opened = std::get_if<StudyPlan::Open>(&*step)) {
        plan.apply(ConfirmationOpened{opened->setup, elapsed});
      } else {
        const auto& conclude = std::get<StudyPlan::Conclude>(*step);
        plan.apply(ConfirmationConcluded{conclude.setup, conclude.verdict});
      }
      steps.push_back(std::move(*step));
    }
    return steps;
  }
  std::vector<JobKind> jobs(const std::vector<StudyPlan::Step>& steps) const {
    std::vector<JobKind> found;
    for (const auto& step : steps) {
      if (const auto* p = std::get_if<StudyPlan::Propose>(&step)) {
        found.push_back(p->order.trial.job);
      }
    }
    return found;
  }

  // Ends the oldest open trial, measured on its device (explorations on the first) or as given.
  void end(std::optional<search::TrialOutcome> failure = {}) {
    TrialEnd end;
    end.trial = open.front();
    open.erase(open.begin());
    end.device = end.trial.device.empty() ? 0 : static_cast<DeviceIndex>(end.trial.device[1] - '0');
    end.started = seconds;
    end.finished = seconds += seconds_each;
    const int x = fakes::x_of(end.trial.configuration);
    end.report = fakes::measured(cost(x), end.trial.id.value);
    if (failure) end.report.outcome = *failure;
    const DeviceIndex device = *end.device;
    const FinishedTrial result = plan.judged(std::move(end));
    plan.apply(TrialFinished{end.trial, result});
    plan.evaluated(end.trial, result, device, false, Clock::TimePoint());
  }
  void end_all() {
    while (!open.empty()) end();
  }

  search::Problem problem;
  search::ParameterSpace space;
  fakes::ListSearcher searcher;
  StudyPlan plan;
  std::vector<bool> free;
  std::vector<ProposedTrial> open;
  double seconds = 100, seconds_each = 1;
  std::function<double(int x)> cost = [](int) { return 1.0; };
};

TEST(StudyPlan, TheFirstJobOfEveryDeviceIsItsBaseline) {
  PlanDriver d(fakes::command_problem(8), 2);
  EXPECT_THAT(d.jobs(d.turn()), ElementsAre(JobKind::kBaseline, JobKind::kBaseline));
  EXPECT_EQ(d.open[0].device, "d0");
  EXPECT_EQ(d.open[1].device, "d1");
  EXPECT_THAT(d.turn(), IsEmpty()) << "no configuration before a baseline is there";
  EXPECT_THAT(d.plan.may_begin(0), ElementsAre(JobKind::kBaseline, JobKind::kRebaseline));
}

TEST(StudyPlan, ExploresOnceADeviceIsReadyAndNotFurtherAheadThanThereAreDevices) {
  PlanDriver d(fakes::command_problem(8), 2);
  d.turn();
  d.end();
  EXPECT_THAT(d.jobs(d.turn()), ElementsAre(JobKind::kExplore, JobKind::kExplore));
  EXPECT_THAT(d.turn(), IsEmpty());
  EXPECT_EQ(d.plan.may_begin(0).size(), 4U);
  EXPECT_EQ(d.plan.may_begin(1).size(), 2U) << "its own baseline is on its way";
}

TEST(StudyPlan, TellsTheSearcherWhatBecameOfWhatItAskedFor) {
  PlanDriver d(fakes::command_problem(8));
  d.cost = [](int x) { return x < 0 ? 1.0 : 2.0; };
  d.turn();
  d.end();
  d.turn();
  d.end();
  ASSERT_EQ(d.searcher.told.size(), 1U) << "the baseline is no answer to the searcher";
  EXPECT_NEAR(d.searcher.told[0].second.score->value, 2, 0.05);
  d.turn();
  d.end(search::WrongResult{});
  ASSERT_EQ(d.searcher.told.size(), 2U);
  EXPECT_FALSE(d.searcher.told[1].second.score);
}

TEST(StudyPlan, WhatLeavesRunningWhatBaselinesDoNotIsAFailure) {
  for (const bool usual : {true, false}) {
    const auto leaving = [](double cost) {
      auto outcome = std::get<search::Measured>(fakes::measured(cost, 1).outcome);
      outcome.measurement.conditions = {{std::string(search::kLeftRunningCondition), "ccache"}};
      return outcome;
    };
    PlanDriver d(fakes::command_problem(8));
    d.turn();
    if (usual) d.end(leaving(1.0));
    if (!usual) d.end();
    d.turn();
    d.end(leaving(0.5));
    ASSERT_EQ(d.searcher.told.size(), 1U);
    EXPECT_EQ(d.searcher.told[0].second.score.has_value(), usual);
  }
}

TEST(StudyPlan, ADeviceThatIsLostTakesPartNoMore) {
  PlanDriver d(fakes::command_problem(8), 2);
  d.turn();
  d.plan.lose_device(1);
  EXPECT_THAT(d.plan.may_begin(1), IsEmpty());
  EXPECT_GT(d.plan.care().in_service(), 0U);
  d.plan.lose_device(0);
  EXPECT_EQ(d.plan.care().in_service(), 0U);
}

TEST(StudyPlan, ABetterCandidateGetsADuelAndThatHasTheFreeDevices) {
  PlanDriver d(fakes::command_problem(40));
  d.cost = [](int x) { return x == 3 ? 0.5 : 1.0; };
  d.turn();
  d.end();
  std::optional<ConfirmationSetup> duel;
  for (int i = 0; i < 30 && !duel; ++i) {
    for (const auto& step : d.turn()) {
      if (const auto* o = std::get_if<StudyPlan::Open>(&step)) duel = o->setup;
    }
    if (!duel) d.end_all();
  }
  ASSERT_TRUE(duel);
  EXPECT_EQ(duel->purpose, Purpose::kDuel);
  EXPECT_THAT(d.open,
              ::testing::Contains(::testing::Field(&ProposedTrial::job, JobKind::kConfirm)));
  d.free[0] = false;
  d.end_all();
  for (const JobKind job : d.jobs(d.turn())) EXPECT_NE(job, JobKind::kConfirm);
}

// A duel that had waited for its share of the time was cut off without an answer, since nothing
// but the time of the hold-out was kept.
TEST(StudyPlan, TheEndOfABudgetLeavesAnOpenDuelItsTimeAndTheHoldOutIts) {
  search::Problem problem = fakes::command_problem(4000);
  problem.budget = {};
  problem.budget.seconds = 60;
  problem.acceptance.hold_out_most = 64;
  PlanDriver d(std::move(problem));
  d.cost = [](int x) { return x == 3 ? 0.5 : 1.0; };
  d.turn();
  d.end();
  bool opened = false;
  for (int i = 0; i < 40 && !opened; ++i) {
    for (const auto& step : d.turn(10)) opened |= std::holds_alternative<StudyPlan::Open>(step);
    d.end_all();
  }
  ASSERT_TRUE(opened);
  d.seconds_each = 100;  // the duel waits: its first pair took more than its share
  const auto jobs_at = [&](double elapsed) {
    const auto jobs = d.jobs(d.turn(elapsed));
    d.end_all();
    return jobs;
  };
  jobs_at(28);  // the pair that had begun ends
  const auto in_the_first_half = jobs_at(29);
  EXPECT_THAT(in_the_first_half, ::testing::Contains(JobKind::kExplore));
  EXPECT_THAT(in_the_first_half, ::testing::Not(::testing::Contains(JobKind::kConfirm)))
      << "half of the budget is free";
  EXPECT_THAT(jobs_at(31), ElementsAre(JobKind::kConfirm)) << "a quarter each for duel and claim";
  EXPECT_THAT(jobs_at(44), ElementsAre(JobKind::kConfirm)) << "and the duel has its quarter";
  EXPECT_FALSE(d.plan.is_settled());
}

// --- Short studies ---

// A study of ten minutes whose evaluations take a second and scatter by `noise`, as whole turns:
// what each second went into.
struct ShortStudy : PlanDriver {
  explicit ShortStudy(std::function<double(int)> truth, double noise, double budget = 600,
                      search::DuelTest test = search::AcceptanceSettings{}.test)
      : PlanDriver(limited(budget, test)), rng(3) {
    cost = [this, truth = std::move(truth), noise](int x) {
      return truth(x) * std::exp(noise * rng.normal());
    };
  }
  static search::Problem limited(double budget, search::DuelTest test) {
    search::Problem problem = fakes::claiming(fakes::command_problem(4000));
    problem.acceptance.test = test;
    problem.budget = {};
    problem.budget.seconds = budget;
    return problem;
  }
  // Evaluations of each duel, by x of its candidate, up to that second or to the end.
  void run(double until = 1e9) {
    while (elapsed() < until) {
      for (const auto& step : turn(elapsed())) {
        if (const auto* c = std::get_if<StudyPlan::Conclude>(&step)) concluded.push_back(*c);
      }
      if (open.empty()) return;
      const ProposedTrial trial = open.front();
      end();
      if (trial.job == JobKind::kExplore) ++explored;
      if (trial.job != JobKind::kConfirm || trial.candidate.value == 0) continue;
      const auto index = plan.state().index_of(trial.candidate);
      duels[fakes::x_of(space.configuration(*index))].push_back(elapsed());
    }
  }
  double elapsed() const { return seconds - 100; }
  std::size_t between(int x, double from, double to) {
    return static_cast<std::size_t>(
        std::ranges::count_if(duels[x], [&](double at) { return from < at && at <= to; }));
  }

  base::Rng rng;
  int explored = 0;
  std::map<int, std::vector<double>> duels;  // when each evaluation ended
  std::vector<StudyPlan::Conclude> concluded;
};

// The end of the time cut off the baseline of the only device in the middle of a pair, and the study
// stood for minutes.
TEST(ShortStudies, AHoldOutIsOverOnceTheTimeHasCutOffItsDevice) {
  ShortStudy study([](int x) { return x == 3 ? 0.5 : 1.0; }, 0.001, 60);
  int held = 0;
  while (held < 7) {
    study.turn(study.elapsed());
    ASSERT_FALSE(study.open.empty());
    const Confirmation* current = study.plan.state().confirmations().open().current();
    if (current != nullptr && current->setup().purpose == Purpose::kHoldOut) ++held;
    study.end();
  }
  study.turn(study.elapsed());
  search::TimedOut late{search::Phase::kMeasure, 1};
  late.out_of_budget = true;
  study.end(search::DeviceLost{"it was reset"});
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(study.jobs(study.turn(study.elapsed())), ElementsAre(JobKind::kRebaseline))
        << "as long as there is time";
    study.end(late);
  }
  const auto steps = study.turn(1000);
  ASSERT_FALSE(steps.empty());
  const auto* over = std::get_if<StudyPlan::Conclude>(&steps.front());
  ASSERT_NE(over, nullptr);
  EXPECT_EQ(over->setup.purpose, Purpose::kHoldOut);
  EXPECT_THAT(study.jobs(steps), IsEmpty()) << "the time is over";
  EXPECT_TRUE(study.plan.is_settled());
}

// It was cut off with the budget, and its device counted as lost.
TEST(ShortStudies, TheFirstEvaluationOfALateHoldOutHasItsTimeToo) {
  ShortStudy study([](int x) { return x == 3 ? 0.5 : 1.0; }, 0.001, 60);
  study.run(40);
  bool opened = false;
  for (int i = 0; i < 9 && !opened; ++i) {
    for (const auto& step : study.turn(59.9)) {
      const auto* open = std::get_if<StudyPlan::Open>(&step);
      opened = opened || (open != nullptr && open->setup.purpose == Purpose::kHoldOut);
    }
    if (!opened) study.end_all();
  }
  ASSERT_TRUE(opened);
  ASSERT_FALSE(study.open.empty()) << "its first evaluation";
  EXPECT_GT(study.plan.terms_for(0).comparing.left, 5);
}

// The first baseline of a process took as long as ten evaluations: the self-test was left undecided
// at once, and repeated with all of its pairs, for half of the budget.
TEST(ShortStudies, ASlowFirstBaselineIsNoReasonToLeaveTheSelfTest) {
  ShortStudy study([](int x) { return x == 3 ? 0.5 : 1.0; }, 0.001, 60);
  study.problem.acceptance.self_test_pairs = 16;
  std::vector<Purpose> begun;
  study.seconds_each = 10;
  while (study.elapsed() < 60) {
    for (const auto& step : study.turn(study.elapsed())) {
      if (const auto* open = std::get_if<StudyPlan::Open>(&step))
        begun.push_back(open->setup.purpose);
    }
    if (study.open.empty()) break;
    study.end();
    study.seconds_each = 0.25;
  }
  EXPECT_EQ(std::ranges::count(begun, Purpose::kSelfTest), 1);
  EXPECT_EQ(begun.front(), Purpose::kSelfTest);
}

// Of a study of ten minutes one duel of two equals took 6 min 45 s, while better candidates waited.
TEST(ShortStudies, ADuelOfEqualsLeavesTheTimeToWhatPromisesMore) {
  ShortStudy study([](int x) { return x % 40 == 39 ? 0.7 : 1.0; }, 0.12);
  study.run();
  std::size_t longest = 0;
  for (const auto& [x, evaluations] : study.duels) {
    if (x % 40 != 39) longest = std::max(longest, evaluations.size());
  }
  EXPECT_LE(longest, 120U) << "of 600; the whole duel is 256 and more";
  ASSERT_TRUE(study.plan.state().incumbent());
  EXPECT_EQ(fakes::x_of(study.space.configuration(*study.plan.state().incumbent())) % 40, 39);
}

TEST(ShortStudies, TheSearchComesFirstWhereADuelWouldTakeMoreThanItsShare) {
  // One of the first is 4 % better, which at 12 % of noise takes all the pairs there are.
  ShortStudy noisy([](int x) { return x == 3 ? 0.96 : 1.0; }, 0.12);
  noisy.run(200);
  std::size_t evaluations = 0;
  for (const auto& [x, ended] : noisy.duels) evaluations += ended.size();
  EXPECT_LE(evaluations, 70U) << "35 %";
  EXPECT_GE(noisy.explored, 90);
}

TEST(ShortStudies, APromiseThatIsShownSoonIsNotKeptWaiting) {
  ShortStudy quiet([](int x) { return x == 3 ? 0.7 : 1.0; }, 0.01);
  quiet.run(150);
  EXPECT_FALSE(quiet.duels[3].empty());
  EXPECT_TRUE(quiet.plan.state().incumbent());
}

TEST(ShortStudies, OfALongStudyADuelHasAllItsPairs) {
  // Just what a duel finds with all of its pairs.
  ShortStudy study([](int x) { return x == 3 ? 0.98 : 1.5; }, 0.05, 36000);
  study.run(3000);
  ASSERT_FALSE(study.duels[3].empty());
  for (const auto& c : study.concluded) {
    EXPECT_EQ(search::reason_of(c.verdict.verdict.acceptance).find("too little time"),
              std::string::npos);
  }
}

TEST(ShortStudies, ADuelThatWasSetAsideGoesOnWithItsPairs) {
  // Many that are alike: whichever looks best after its first look goes on.
  ShortStudy study([](int x) { return x % 3 == 2 ? 0.97 : 1.1; }, 0.1, 600,
                   search::DuelTest::kGroupSequential);  // whose duels are longer
  study.run();
  const auto went_on = std::ranges::any_of(study.duels, [&](const auto& duel) {
    const auto& ended = duel.second;
    for (std::size_t i = 1; i < ended.size(); ++i) {
      for (const auto& [x, others] : study.duels) {
        if (x == duel.first) continue;
        for (const double at : others) {
          if (ended[i - 1] < at && at < ended[i]) return true;
        }
      }
    }
    return false;
  });
  EXPECT_TRUE(went_on);
  EXPECT_TRUE(study.plan.is_settled());
}

}  // namespace
}  // namespace nightshift::scheduler
