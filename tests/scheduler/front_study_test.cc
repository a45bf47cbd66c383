// Whole studies on a fake pool: what of the Pareto front is measured again, and what becomes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "scheduler/study/front_rounds.h"
#include "scheduler/summary/summary.h"
#include "tests/fakes/study_driver.h"

namespace nightshift::scheduler {
namespace {

using fakes::StudyDriver;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// Time and size of x = -1 (the baseline), 0, 1, 2, 3; the size is exact. Of these 0, 1 and 3 are
// the front, and 2 is worse than 1 in both.
//   time   1.00  0.50  0.80  0.90  1.20
//   size   1.00  1.50  0.70  0.95  0.40
constexpr double kTimes[] = {1.0, 0.5, 0.8, 0.9, 1.2};
constexpr double kSizes[] = {1.0, 1.5, 0.7, 0.95, 0.4};

struct Study {
  explicit Study(search::Problem problem = fakes::command_problem(4), int devices = 1)
      : driver(with_two(std::move(problem)), devices) {
    driver.cost = [this](int x, std::size_t) {
      const int evaluation = driver.evaluations[x];
      const bool first = x >= 0 && evaluation == 0;
      const double luck = first && first_run.contains(x) ? first_run.at(x) : 1;
      const double sway = x < 0 && evaluation % 2 == 1 ? 1 + baseline_sway : 1;
      return kTimes[x + 1] * luck * sway;
    };
    driver.figures["size"] = [this](int x, int evaluation) {
      const auto odd = later_size.find(x);
      return evaluation > 0 && odd != later_size.end() ? odd->second : kSizes[x + 1];
    };
  }
  static search::Problem with_two(search::Problem problem) {
    problem.objectives = {{"time", "ms"}, {"size", "B"}};
    problem.acceptance.front_pairs = 4;
    return problem;
  }
  StudySummary summary() const { return summarise(driver.journal.history, driver.problem); }
  // x of each, by time.
  std::vector<int> front() const {
    std::vector<int> all;
    for (const auto& m : summary().front) all.push_back(fakes::x_of(m.contender.configuration));
    return all;
  }
  std::vector<int> pairs() const {
    std::vector<int> all;
    for (const auto& m : summary().front) all.push_back(m.pairs);
    return all;
  }
  // x of what was measured again, in that order.
  std::vector<int> rounds() const {
    const History& history = driver.journal.history;
    std::vector<int> all;
    for (const ConfirmationSetup& setup : history.confirmations) {
      if (setup.purpose != Purpose::kFront) continue;
      all.push_back(fakes::x_of(find_trial(history, setup.candidate)->proposed.configuration));
    }
    return all;
  }
  StudyDriver driver;
  std::map<int, double> first_run;   // factor on the time of the exploration
  std::map<int, double> later_size;  // of all evaluations but the exploration
  double baseline_sway = 0;          // of every second baseline
};

TEST(FrontStudy, WhoStoodThereByLuckIsGone) {
  Study study;
  study.first_run[2] = 0.7;  // seems to be faster than 1
  study.driver.run();
  EXPECT_THAT(study.front(), ElementsAre(0, 1, 3));
  EXPECT_THAT(study.pairs(), ElementsAre(4, 4, 4));
  EXPECT_THAT(study.rounds(), UnorderedElementsAre(0, 1, 2, 3));
  const StudySummary summary = study.summary();
  EXPECT_NEAR(summary.front[1].scores[0].value, 0.8, 0.002);
  EXPECT_NEAR(summary.front[1].contender.figures[0].value, 0.8, 0.002);
  const search::Interval interval = summary.front[1].contender.figures[0].interval;
  ASSERT_EQ(summary.compared_baseline.size(), 2U);
  const double true_time = 0.8 * summary.compared_baseline[0].value;  // on the scale of the best
  EXPECT_LT(interval.low, true_time);
  EXPECT_GT(interval.high, true_time);
  EXPECT_EQ(summary.front[1].contender.figures[1].value, 0.7);
  EXPECT_EQ(summary.front[1].intervals[1].low, 0.7);
}

TEST(FrontStudy, WhoWasMissingByBadLuckIsThere) {
  search::Problem problem = fakes::command_problem(4);
  problem.acceptance.self_test_pairs = 8;
  Study study(problem);
  study.baseline_sway = 0.2;
  study.first_run[1] = 1.2;  // slower than 2, whose size then is all that speaks against it
  study.driver.figures["size"] = [](int x, int) { return x == 1 ? 0.95 : kSizes[x + 1]; };
  study.driver.run();
  EXPECT_THAT(study.front(), ElementsAre(0, 1, 3));
}

TEST(FrontStudy, TheShapeComesFirst) {
  Study study;
  study.driver.run();
  const std::vector<int> rounds = study.rounds();
  ASSERT_EQ(rounds.size(), 3U);
  EXPECT_EQ(rounds.back(), 1) << "the ends, then what lies between them";
}

TEST(FrontStudy, AMemberThatFailsOrIsBeyondALimitLaterIsNone) {
  Study study;
  study.driver.problem.objectives[1].at_most = 1.6;
  study.driver.problem.objectives[1].weight = study.driver.problem.objectives[0].weight = 1;
  study.later_size[0] = 1.7;
  study.driver.run();
  EXPECT_THAT(study.front(), ElementsAre(1, 3));
}

TEST(FrontStudy, WhatFailsInItsDuelIsNoneAndIsNotMeasuredAgain) {
  Study study;
  StudyDriver& driver = study.driver;
  driver.pool.on_measure = [&](const Job& order) {
    JobEnded end = driver.answer(order);
    const ProposedTrial& trial = driver.journal.history.trials[order.trial.value - 1].proposed;
    const int x = fakes::x_of(order.evaluation().configuration);
    if (trial.job == search::JobKind::kConfirm && x == 0) {
      end.report.outcome = search::WrongResult{"y", 0, 1, 2, 1, 0.1};
    }
    return end;
  };
  driver.run();
  EXPECT_THAT(study.front(), ElementsAre(1, 3));
  EXPECT_THAT(study.rounds(), UnorderedElementsAre(1, 3));
}

TEST(FrontStudy, PairsOfTheHoldOutCount) {
  Study study(fakes::claiming(fakes::command_problem(4)));
  study.driver.run();
  ASSERT_TRUE(study.summary().accepted);
  EXPECT_THAT(study.rounds(), UnorderedElementsAre(1, 3)) << "0 is the winner";
  EXPECT_THAT(study.front(), ElementsAre(0, 1, 3));
  EXPECT_GE(study.pairs()[0], 12);
  EXPECT_EQ(study.driver.observer.setups.back().purpose, Purpose::kFront) << "the claim came first";
}

TEST(FrontStudy, DevicesShareThePairs) {
  Study study(fakes::command_problem(4), 2);
  study.driver.run();
  EXPECT_THAT(study.pairs(), ElementsAre(4, 4, 4));
  for (const ConfirmationSetup& setup : study.driver.journal.history.confirmations) {
    if (setup.purpose != Purpose::kFront) continue;
    EXPECT_EQ(setup.pairs, 2);
  }
}

TEST(FrontStudy, NothingIsMeasuredAgainWhereThatWouldSayTheSame) {
  Study recorded(fakes::recorded_problem(4));
  recorded.driver.run();
  EXPECT_THAT(recorded.rounds(), IsEmpty());
  EXPECT_THAT(recorded.front(), ElementsAre(0, 1, 3));
  EXPECT_THAT(recorded.pairs(), ElementsAre(0, 0, 0));

  Study without;
  without.driver.problem.acceptance.front_pairs = 0;
  without.driver.run();
  EXPECT_THAT(without.rounds(), IsEmpty());

  Study single;
  single.driver.problem.objectives[1].at_most = 100;  // a limit alone is no aim
  single.driver.run();
  EXPECT_THAT(single.rounds(), IsEmpty());
}

TEST(FrontStudy, ALongFrontEnds) {
  Study study(fakes::command_problem(60));
  study.driver.cost = [](int x, std::size_t) { return x < 0 ? 1.0 : 1.0 + 0.1 * x; };
  study.driver.figures["size"] = [](int x, int) { return x < 0 ? 1.0 : 0.9 / (1.0 + x); };
  study.driver.run();
  EXPECT_EQ(study.rounds().size(), static_cast<std::size_t>(FrontRounds::kMost));
  EXPECT_EQ(study.front().size(), 60U);
}

TEST(FrontStudy, TimeIsKeptForItAndTheBudgetHolds) {
  for (const double share : {0.0, 0.5}) {
    search::Problem problem = fakes::command_problem(2000);
    problem.budget = {};
    problem.budget.seconds = 4;  // of evaluations of 10 ms
    problem.acceptance.front_share = share;
    Study study(problem);
    study.driver.cost = [](int x, std::size_t) { return x < 0 ? 1.0 : 2.0 + x % 7; };
    study.driver.figures["size"] = [](int x, int) { return x < 0 ? 10.0 : 9.0 - x % 7; };
    study.driver.run();
    EXPECT_LE(study.driver.observer.last.elapsed, 4.05);
    const std::size_t again = study.rounds().size();
    if (share == 0) {
      EXPECT_EQ(again, 0U);
    } else {
      EXPECT_GT(again, 0U);
    }
  }
}

TEST(FrontStudy, CutAfterAnyEventItEndsAsItWouldHave) {
  const auto script = [](Study& study) { study.first_run[2] = 0.7; };
  Study whole;
  script(whole);
  whole.driver.run();
  const std::size_t events = whole.driver.journal.history.events.size();
  for (std::size_t cut = 0; cut <= events; ++cut) {
    Study resumed;
    script(resumed);
    const History earlier = whole.driver.journal.cut(cut);
    for (const TrialRecord& t : earlier.trials) {
      if (t.finished) ++resumed.driver.evaluations[fakes::x_of(t.proposed.configuration)];
    }
    resumed.driver.resume(earlier);
    ASSERT_EQ(resumed.front(), whole.front()) << cut;
    ASSERT_EQ(resumed.pairs(), whole.pairs()) << cut;
  }
}

// Figures that never vary, of which 0 and 2 have the same, and 1 those of the baseline.
struct ExactStudy : Study {
  explicit ExactStudy(search::Problem problem) : Study(std::move(problem)) {
    driver.problem.objectives = {{"cycles", ""}, {"size", "B"}};
    driver.figures["cycles"] = [](int x, int) { return x == 0 || x == 2 ? 2.5 : 7.0; };
    driver.figures["size"] = [](int x, int) { return x == 0 || x == 2 ? 4.0 : x == 3 ? 3.0 : 2.0; };
    driver.run();
  }
};

TEST(FrontStudy, WhatEqualsAnotherOrTheBaselineInEverythingIsLeftOut) {
  const ExactStudy study(fakes::command_problem(4));
  EXPECT_THAT(study.front(), ElementsAre(0));
  EXPECT_TRUE(study.summary().baseline_on_front);
}

TEST(FrontStudy, OfEqualsTheOneThatWasMeasuredMostStandsForAll) {
  const ExactStudy study(fakes::claiming(fakes::command_problem(4)));
  const StudySummary summary = study.summary();
  ASSERT_TRUE(summary.accepted);
  ASSERT_EQ(summary.front.size(), 1U);
  EXPECT_EQ(summary.front[0].contender.trial, summary.best->trial);
  EXPECT_GE(summary.front[0].pairs, 12);
  EXPECT_EQ(summary.front[0].scores[0].value, 2.5 / 7.0);
}

TEST(FrontStudy, OfARecordingEqualsStay) {
  const ExactStudy study(fakes::recorded_problem(4));
  EXPECT_THAT(study.front(), ElementsAre(0, 2, 1));
}

}  // namespace
}  // namespace nightshift::scheduler
