#include "search/scoring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "search/acceptance/gain_form.h"
#include "search/statistics/summary.h"

namespace nightshift::search {
namespace {

Objective minimised(const std::string& name) { return {name, ""}; }
Objective maximised(const std::string& name) { return {name, "", Direction::kMaximise}; }
Objective weighted(Objective o, double weight) {
  o.weight = weight;
  return o;
}
Objective with_role(Objective o, Role role) {
  o.role = role;
  return o;
}
Objective at_most(Objective o, double limit) {
  o.at_most = limit;
  return o;
}

Scoring scoring_of(std::vector<Objective> objectives,
                   Scalarisation how = Scalarisation::kWeighted) {
  Problem problem;
  problem.objectives = std::move(objectives);
  problem.scalarisation = how;
  return Scoring(problem);
}

using Positions = std::vector<std::size_t>;

TEST(Scoring, OfASingleObjectiveIsItsRatio) {
  const Scoring time = scoring_of({minimised("time")});
  const Score score = time.score({{9, 0.09}}, {{10, 0.2}});
  EXPECT_EQ(score.value, 0.9);
  EXPECT_EQ(score.standard_error, 0.9 * std::hypot(0.01, 0.02));
  EXPECT_EQ(time.cost({{9, 0}}, {{10, 0}}), 9);
  EXPECT_FALSE(time.has_front());
  EXPECT_EQ(time.judged(), time.primary());

  const Scoring rate = scoring_of({maximised("rate")});
  EXPECT_EQ(rate.score({{125, 0}}, {{100, 0}}).value, 0.8);
  EXPECT_EQ(rate.cost({{125, 0}}, {{100, 0}}), 1 / 125.0);
}

TEST(Scoring, WithoutWeightsTheFirstObjectiveDecides) {
  const Scoring scoring = scoring_of({minimised("time"), maximised("rate")});
  EXPECT_EQ(scoring.score({{5, 0}, {1, 0}}, {{10, 0}, {2, 0}}).value, 0.5);
  EXPECT_EQ(scoring.sought(), (Positions{0, 1}));
  EXPECT_EQ(scoring.judged().name, "time");
}

TEST(Scoring, WeightsMakeAGeometricMean) {
  const Scoring scoring =
      scoring_of({weighted(minimised("time"), 3), weighted(maximised("rate"), 1)});
  // 0.5^(3/4) * (100/64)^(1/4); relative errors 0.02 and 0.04, times 3/4 and 1/4:
  // hypot(0.015, 0.01) = 0.0180278
  const Score score = scoring.score({{5, 0.1}, {64, 2.56}}, {{10, 0}, {100, 0}});
  EXPECT_NEAR(score.value, 0.5946036 * 1.1180340, 1e-6);
  EXPECT_NEAR(score.standard_error / score.value, 0.0180278, 1e-6);
  EXPECT_EQ(scoring.judged().name, "weighted cost");
}

TEST(Scoring, TheBaselinesErrorsCountToo) {
  const Scoring scoring = scoring_of({weighted(minimised("a"), 1), weighted(minimised("b"), 1)});
  // Each objective: hypot(0.03, 0.04) = 0.05; half of it twice: hypot(0.025, 0.025).
  const Score score = scoring.score({{1, 0.03}, {2, 0.06}}, {{1, 0.04}, {2, 0.08}});
  EXPECT_NEAR(score.value, 1, 1e-15);
  EXPECT_NEAR(score.standard_error, 0.0353553, 1e-6);
}

TEST(Scoring, CostsOfVisitsAreInTheRatioOfTheScores) {
  const Scoring scoring =
      scoring_of({weighted(minimised("time"), 2), weighted(maximised("rate"), 1)});
  const Figures baseline = {{10, 0}, {100, 0}}, candidate = {{7, 0}, {90, 0}};
  EXPECT_NEAR(scoring.cost(candidate, baseline) / scoring.cost(baseline, baseline),
              scoring.score(candidate, baseline).value, 1e-12);
}

TEST(Scoring, EfficiencyIsSpeedUpTimesCompressionOverOnePlusTheChange) {
  const Scoring scoring = scoring_of(
      {with_role(minimised("time"), Role::kTime), with_role(minimised("bytes"), Role::kSize),
       with_role(maximised("accuracy"), Role::kAccuracy)},
      Scalarisation::kEfficiency);
  const Figures baseline = {{10, 0}, {400, 0}, {0.95, 0.003}};
  const Figures candidate = {{5, 0.1}, {100, 0}, {0.93, 0.004}};
  // (2 * 4) / 1.02, turned around
  const Score score = scoring.score(candidate, baseline);
  EXPECT_NEAR(score.value, 1.02 / 8, 1e-12);
  // hypot(0.1 / 5, hypot(0.003, 0.004) / 1.02)
  EXPECT_NEAR(score.standard_error / score.value, std::hypot(0.02, 0.005 / 1.02), 1e-12);
  EXPECT_NEAR(scoring.cost(candidate, baseline) / scoring.cost(baseline, baseline), score.value,
              1e-12);
  EXPECT_EQ(scoring.judged().name, "efficiency");
  const std::vector<Score> each = scoring.objectives(candidate, baseline);
  ASSERT_EQ(each.size(), 3U);
  EXPECT_NEAR(each[1].value, 0.25, 1e-12);
  EXPECT_NEAR(each[2].value, 1.02, 1e-12);
}

TEST(Scoring, AnAccuracyMayBeZero) {
  const Scoring scoring = scoring_of(
      {with_role(minimised("time"), Role::kTime), with_role(minimised("error"), Role::kAccuracy)},
      Scalarisation::kEfficiency);
  EXPECT_FALSE(scoring.must_be_positive(1));
  EXPECT_EQ(scoring.score({{5, 0}, {0.25, 0}}, {{10, 0}, {0, 0}}).value, 0.625);
}

TEST(Scoring, ALimitWithoutAWeightIsNoAim) {
  const Scoring scoring = scoring_of({minimised("time"), at_most(minimised("error"), 1e-3)});
  EXPECT_EQ(scoring.sought(), (Positions{0}));
  EXPECT_FALSE(scoring.has_front());
  EXPECT_FALSE(scoring.must_be_positive(1));
  EXPECT_TRUE(scoring.must_be_positive(0));
  EXPECT_TRUE(scoring.has_limits());
}

TEST(Scoring, TheFirstObjectiveIsSearchedThoughItHasALimit) {
  const Scoring scoring = scoring_of({at_most(minimised("time"), 5), minimised("energy")});
  EXPECT_EQ(scoring.sought(), (Positions{0, 1}));
  EXPECT_EQ(scoring.primary().name, "time");
}

TEST(Scoring, WeightsMayLeaveTheFirstOut) {
  const Scoring scoring =
      scoring_of({at_most(minimised("error"), 1), weighted(minimised("time"), 1)});
  EXPECT_EQ(scoring.primary().name, "time");
  EXPECT_EQ(scoring.sought(), (Positions{1}));
  EXPECT_EQ(scoring.score({{0, 0}, {5, 0}}, {{0, 0}, {10, 0}}).value, 0.5);
}

TEST(Scoring, SaysWhichLimitIsExceeded) {
  Objective error = at_most(minimised("error"), 1e-3);
  Objective accuracy = maximised("accuracy");
  accuracy.at_least = 0.9;
  accuracy.unit = "%";
  const Scoring scoring = scoring_of({minimised("time"), error, accuracy});
  EXPECT_EQ(scoring.beyond_limits({{1, 0}, {1e-3, 0}, {0.9, 0}}), "");
  EXPECT_EQ(scoring.beyond_limits({{1, 0}, {0.02, 0}, {0.9, 0}}),
            "exceeds limit on error: 0.02 > 0.001");
  EXPECT_EQ(scoring.beyond_limits({{1, 0}, {0.0010000001, 0}, {0.85, 0}}),
            "exceeds limit on error: 0.0010000001 > 0.001; "
            "falls short of limit on accuracy: 0.85 % < 0.9 %");
}

TEST(Scoring, FiguresAreMediansThatMakeSense) {
  const Scoring scoring = scoring_of({minimised("time"), at_most(minimised("error"), 1)});
  const auto figures = scoring.figures_of({{{"error", {0, -1, 1}}, {"time", {4, 2, 3}}}, {}});
  ASSERT_TRUE(figures);
  EXPECT_EQ((*figures)[0].value, 3);
  EXPECT_EQ((*figures)[1].value, 0);
  EXPECT_EQ((*figures)[0].standard_error, summarise(std::vector<double>{4, 2, 3}).median_error);
  EXPECT_FALSE(scoring.figures_of({{{"time", {1}}}, {}}));
  EXPECT_FALSE(scoring.figures_of({{{"time", {-1}}, {"error", {0}}}, {}}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(scoring.figures_of({{{"time", {1}}, {"error", {nan}}}, {}}));
}

TEST(Scoring, AFigureOfAnySignIsComparedByItsDifference) {
  Problem problem;
  problem.objectives = {{"score", "", Direction::kMaximise}};
  problem.objectives.front().difference_scale = 2;
  const Scoring scoring(problem);
  EXPECT_FALSE(scoring.must_be_positive(0));
  const auto figures = scoring.figures_of({{{"score", {-1.5, -1.5}}}, {}});
  ASSERT_TRUE(figures.has_value());
  const Figures better = {{-1.3, 0.2}}, baseline = {{-1.5, 0}};
  EXPECT_DOUBLE_EQ(scoring.score(better, baseline).value, std::exp(-0.1));
  EXPECT_DOUBLE_EQ(scoring.score(better, baseline).standard_error, std::exp(-0.1) * 0.1);
  EXPECT_DOUBLE_EQ(scoring.score(baseline, baseline).value, 1);
  // Costs divide as scores do.
  EXPECT_DOUBLE_EQ(scoring.cost(better, {}) / scoring.cost(baseline, {}), std::exp(-0.1));
  const Measurement tail{{{"score", std::vector<double>(20, -2.0)}}, {}};
  EXPECT_DOUBLE_EQ(scoring.tail_cost(tail).value(), std::exp(1));
}

// --- Cases ---

Figure with_cases(double together, std::vector<double> cases) {
  Figure figure{together, 0};
  for (const double value : cases) figure.cases.push_back({value, 0});
  return figure;
}

Scoring worst_of_two(std::vector<Objective> objectives = {minimised("time")}) {
  Problem problem;
  problem.objectives = std::move(objectives);
  problem.cases.names = {"small", "large"};
  problem.cases.aggregate = Aggregate::kWorst;
  return Scoring(problem);
}

TEST(Scoring, TheWorstCaseIsTheOneThatDoesWorstByTheBaseline) {
  const Scoring scoring = worst_of_two();
  const Figures baseline = {with_cases(10, {1, 100})};
  const Figures candidate = {with_cases(7, {0.5, 98})};
  EXPECT_DOUBLE_EQ(scoring.score(candidate, baseline).value, 0.98);
  EXPECT_DOUBLE_EQ(scoring.cost(candidate, baseline), 0.98);
  EXPECT_EQ(scoring.cost(baseline, baseline), 1);
  EXPECT_THAT(scoring.case_costs(candidate), ::testing::ElementsAre(0.5, 98));
  EXPECT_EQ(scoring.level(candidate), 7);
  EXPECT_TRUE(scoring.needs_baseline());
  EXPECT_EQ(scoring.judged().name, "time of the worst case");
}

TEST(Scoring, TheWorstCaseOfWhatIsToBecomeMoreIsTheLeastGain) {
  const Scoring scoring = worst_of_two({maximised("rate")});
  const Figures baseline = {with_cases(10, {10, 10})};
  EXPECT_DOUBLE_EQ(scoring.score({with_cases(0, {20, 12.5})}, baseline).value, 0.8);
}

TEST(Scoring, WhatConversionsRoundIsWithinALimit) {
  Objective limited = at_most(minimised("time"), 2.3);
  EXPECT_EQ(scoring_of({limited}).beyond_limits({{2300 * 1e-3, 0}}), "");
  EXPECT_NE(scoring_of({limited}).beyond_limits({{2.3001, 0}}), "");
  limited.at_most.reset();
  limited.at_least = 0.009;
  EXPECT_EQ(scoring_of({limited}).beyond_limits({{0.009 * (1 - 1e-16), 0}}), "");
  EXPECT_NE(scoring_of({limited}).beyond_limits({{0.00899, 0}}), "");
  EXPECT_NE(scoring_of({at_most(minimised("time"), 0)}).beyond_limits({{1e-300, 0}}), "");
}

TEST(Scoring, WhoeverJudgesADifferenceSaysItInItsUnit) {
  Problem problem;
  problem.objectives = {maximised("gain")};
  problem.objectives[0].unit = "dB";
  problem.objectives[0].difference_scale = 9;
  const GainForm form = gain_form(judging(problem));
  EXPECT_TRUE(form.rises);
  EXPECT_EQ(form.difference_scale, 9);
  EXPECT_EQ(form.unit, "dB");
  EXPECT_DOUBLE_EQ(difference_of(problem.objectives[0], std::exp(-1)), 9);
}

TEST(Scoring, WhoeverJudgesARateSaysHowMuchItRises) {
  Problem problem;
  problem.acceptance.level = 0.02;
  problem.objectives = {maximised("rate")};
  EXPECT_TRUE(judging(problem).rises);
  EXPECT_EQ(judging(problem).level, 0.02);
  problem.objectives = {minimised("time")};
  EXPECT_FALSE(judging(problem).rises);
}

TEST(Scoring, AFigureOfAllCasesTogetherIsItsRatio) {
  const Scoring scoring =
      worst_of_two({weighted(minimised("time"), 1), weighted(minimised("size"), 1)});
  const Figures baseline = {with_cases(10, {10, 10}), {100, 0}};
  const Figures candidate = {with_cases(7, {5, 9}), {64, 0}};
  EXPECT_DOUBLE_EQ(scoring.score(candidate, baseline).value, std::sqrt(0.9 * 0.64));
  EXPECT_THAT(scoring.case_costs(candidate),
              ::testing::ElementsAre(std::sqrt(5.0) * 8, std::sqrt(9.0) * 8));
}

TEST(Scoring, WithoutTheWorstCaseFiguresOfCasesDecideNothing) {
  const Scoring scoring = scoring_of({minimised("time")});
  const Figures baseline = {with_cases(10, {1, 100})};
  EXPECT_EQ(scoring.score({with_cases(5, {1, 100})}, baseline).value, 0.5);
  EXPECT_THAT(scoring.case_costs(baseline), ::testing::IsEmpty());
  EXPECT_FALSE(scoring.needs_baseline());
}

TEST(Scoring, FiguresOfCasesAreReadAndHaveToBeGood) {
  const Scoring scoring = worst_of_two();
  Measurement measurement;
  measurement.figures = {{"time", {2, 2}, {{1, 1, 1}, {4, 4, 4}}}};
  const auto figures = scoring.figures_of(measurement);
  ASSERT_TRUE(figures);
  ASSERT_EQ(figures->front().cases.size(), 2U);
  EXPECT_EQ(figures->front().cases[1].value, 4);
  measurement.figures[0].cases[1] = {0, 0, 0};
  EXPECT_FALSE(scoring.figures_of(measurement));
  measurement.figures[0].cases[1] = {};
  EXPECT_FALSE(scoring.figures_of(measurement));
}

}  // namespace
}  // namespace nightshift::search
