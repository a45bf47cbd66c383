#include "search/evaluation_figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "search/statistics/summary.h"

namespace nightshift::search {
namespace {

Objective objective(Statistic statistic, Direction direction = Direction::kMinimise) {
  Objective o;
  o.statistic = statistic;
  o.direction = direction;
  return o;
}

// 1, 2, ..., n, mixed up.
std::vector<double> counted(int n) {
  std::vector<double> values;
  for (int i = 1; i <= n; ++i) values.push_back(i);
  base::Rng rng(1);
  rng.shuffle(values);
  return values;
}

TEST(EvaluationFigure, TheMedianIsTheUsualOne) {
  const std::vector<double> samples = {9, 1, 2, 3, 100};
  const Figure figure = evaluation_figure(samples, objective(Statistic::kMedian));
  EXPECT_EQ(figure.value, 3);
  EXPECT_EQ(figure.standard_error, summarise(samples).median_error);
  EXPECT_EQ(evaluation_figure(samples, Objective{}).value, 3);
}

TEST(EvaluationFigure, TheMeanHasTheErrorOfAMean) {
  const Figure figure =
      evaluation_figure(std::vector<double>{1, 2, 3, 4, 10}, objective(Statistic::kMean));
  EXPECT_EQ(figure.value, 4);
  EXPECT_NEAR(figure.standard_error, std::sqrt(50.0 / 4 / 5), 1e-12);
}

TEST(EvaluationFigure, TheTrimmedMeanLeavesAFifthOutAtEachEnd) {
  // Winsorised: 2, 2, 3, 4, 4, of variance 1; three fifths are left.
  const Figure figure = evaluation_figure(std::vector<double>{3, 1000, 2, -500, 4},
                                          objective(Statistic::kTrimmedMean));
  EXPECT_EQ(figure.value, 3);
  EXPECT_NEAR(figure.standard_error, 1 / (0.6 * std::sqrt(5)), 1e-12);
}

TEST(EvaluationFigure, TheTrimmedMeanOfFourIsTheirMean) {
  const std::vector<double> samples = {1, 2, 3, 10};
  const Figure trimmed = evaluation_figure(samples, objective(Statistic::kTrimmedMean));
  const Figure mean = evaluation_figure(samples, objective(Statistic::kMean));
  EXPECT_EQ(trimmed.value, mean.value);
  EXPECT_DOUBLE_EQ(trimmed.standard_error, mean.standard_error);
}

TEST(EvaluationFigure, TheTrimmedMeanSeesWhatTicksHideFromTheMedian) {
  // Six of ten samples on the lower of two ticks, then four: the median jumps by a whole tick or
  // stays, the trimmed mean moves by a part of one.
  const std::vector<double> before = {1, 1, 1, 1, 1, 1, 2, 2, 2, 2};
  const std::vector<double> after = {1, 1, 1, 1, 1, 1, 1, 2, 2, 2};
  EXPECT_EQ(evaluation_figure(before, objective(Statistic::kMedian)).value,
            evaluation_figure(after, objective(Statistic::kMedian)).value);
  EXPECT_GT(evaluation_figure(before, objective(Statistic::kTrimmedMean)).value,
            evaluation_figure(after, objective(Statistic::kTrimmedMean)).value);
}

TEST(EvaluationFigure, TailsAreTakenOnTheBadSide) {
  // Type 7: rank 0.95 * 100 of 101 values.
  EXPECT_NEAR(evaluation_figure(counted(101), objective(Statistic::kP95)).value, 96, 1e-12);
  EXPECT_NEAR(evaluation_figure(counted(101), objective(Statistic::kP99)).value, 100, 1e-12);
  EXPECT_NEAR(
      evaluation_figure(counted(101), objective(Statistic::kP95, Direction::kMaximise)).value, 6,
      1e-12);
  EXPECT_NEAR(
      evaluation_figure(counted(101), objective(Statistic::kP99, Direction::kMaximise)).value, 2,
      1e-12);
  EXPECT_NEAR(evaluation_figure(counted(10), objective(Statistic::kP95)).value, 9.55, 1e-12)
      << "between two values";
}

TEST(EvaluationFigure, TheErrorOfATailComesFromTheRanksAroundIt) {
  // sd of the rank sqrt(1001 * .95 * .05) = 6.8956; two of them up and down, a quarter of it.
  EXPECT_NEAR(evaluation_figure(counted(1001), objective(Statistic::kP95)).standard_error,
              std::sqrt(1001 * 0.95 * 0.05), 1e-9);
  EXPECT_GT(evaluation_figure(counted(5), objective(Statistic::kP99)).standard_error, 0)
      << "at the end there is one side only";
}

TEST(EvaluationFigure, ExtremesAreTheLeastAndTheGreatestWhateverIsBetter) {
  const std::vector<double> samples = {3, 9, 1, 4, 2};
  for (const Direction direction : {Direction::kMinimise, Direction::kMaximise}) {
    EXPECT_EQ(evaluation_figure(samples, objective(Statistic::kMin, direction)).value, 1);
    EXPECT_EQ(evaluation_figure(samples, objective(Statistic::kMax, direction)).value, 9);
  }
  EXPECT_DOUBLE_EQ(evaluation_figure(samples, objective(Statistic::kMin)).standard_error, 1)
      << "(3 - 1) / 2";
  EXPECT_DOUBLE_EQ(
      evaluation_figure(samples, objective(Statistic::kMax, Direction::kMaximise)).standard_error,
      3)
      << "(9 - 3) / 2";
  EXPECT_GT(evaluation_figure(samples, objective(Statistic::kMax)).standard_error, 5) << "a tail";
}

// The mean of the errors that are claimed over the scatter of the figures.
double claimed_over_true_error(Statistic statistic, bool is_exponential = false) {
  base::Rng rng(2);
  std::vector<double> figures;
  double errors = 0;
  for (int evaluation = 0; evaluation < 2000; ++evaluation) {
    std::vector<double> samples;
    for (int i = 0; i < 200; ++i) {
      samples.push_back(is_exponential ? -std::log(1 - rng.uniform()) : rng.normal());
    }
    const Figure figure = evaluation_figure(samples, objective(statistic));
    figures.push_back(figure.value);
    errors += figure.standard_error / 2000;
  }
  return errors / sd_of(figures);
}

TEST(EvaluationFigure, ErrorsAreAboutRight) {
  EXPECT_NEAR(claimed_over_true_error(Statistic::kP95), 1, 0.15);
  EXPECT_NEAR(claimed_over_true_error(Statistic::kTrimmedMean), 1, 0.05);
  EXPECT_NEAR(claimed_over_true_error(Statistic::kMin, true), 1, 0.1) << "a floor, as times have";
  EXPECT_NEAR(claimed_over_true_error(Statistic::kMax, true), 1, 0.1) << "a tail";
}

TEST(EvaluationFigure, BearsFewSamplesAndNone) {
  for (const Statistic s : {Statistic::kMedian, Statistic::kMean, Statistic::kTrimmedMean,
                            Statistic::kP95, Statistic::kP99, Statistic::kMin, Statistic::kMax}) {
    EXPECT_EQ(evaluation_figure({}, objective(s)).value, 0);
    EXPECT_EQ(evaluation_figure({}, objective(s)).standard_error, 0);
    EXPECT_EQ(evaluation_figure(std::vector<double>{7}, objective(s)).value, 7);
    EXPECT_EQ(evaluation_figure(std::vector<double>{7, 7, 7}, objective(s)).standard_error, 0);
  }
}

TEST(Aggregated, IsTheGeometricMeanSampleBySample) {
  CaseTerms terms;
  terms.names = {"a", "b"};
  EXPECT_THAT(aggregated({{1, 4, 9}, {4, 9}}, terms),
              ::testing::ElementsAre(::testing::DoubleEq(2), ::testing::DoubleEq(6)));
  terms.aggregate = Aggregate::kWorst;  // whose figure is the same: the score is another one
  EXPECT_THAT(aggregated({{1}, {4}}, terms), ::testing::ElementsAre(::testing::DoubleEq(2)));
}

TEST(Aggregated, CountsEachCaseToItsWeight) {
  CaseTerms terms;
  terms.names = {"a", "b"};
  terms.weights = {3, 1};
  EXPECT_THAT(aggregated({{1}, {16}}, terms), ::testing::ElementsAre(::testing::DoubleEq(2)));
  terms.aggregate = Aggregate::kSum;
  EXPECT_THAT(aggregated({{1}, {16}}, terms), ::testing::ElementsAre(19));
}

TEST(Aggregated, OfOneCaseIsItsOwnFigures) {
  EXPECT_THAT(aggregated({{0, 3}}, {}), ::testing::ElementsAre(0, 3));
  EXPECT_THAT(aggregated({}, {}), ::testing::IsEmpty());
}

}  // namespace
}  // namespace nightshift::search
