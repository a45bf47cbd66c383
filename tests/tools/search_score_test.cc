#include "tools/bench/search/score.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "tools/bench/search/smoothing.h"
#include "tools/bench/search/time_score.h"

namespace nightshift::bench {
namespace {

using Values = std::vector<double>;

const Values kFive = {1, 2, 3, 4, 5};
const Values kNine = {1, 2, 3, 4, 5, 6, 7, 8, 9};

TEST(CalculatedRandom, IsARankFromTheWorst) {
  EXPECT_EQ(calculated_random(kFive, 1), 2);  // rank 1 * 6 / 2 = 3 of 5, 4, 3, 2, 1
  EXPECT_EQ(calculated_random(kFive, 2), 1);  // rank 2 * 6 / 3 = 4
  EXPECT_EQ(calculated_random(kFive, 400), 1);
}

TEST(CalculatedRandom, HalvesRoundToEven) {
  EXPECT_EQ(calculated_random(Values{1, 2, 4, 8}, 1), 2);  // 2.5 -> 2 of 8, 4, 2, 1
  EXPECT_EQ(calculated_random(kNine, 3), 1);               // 7.5 -> 8
}

TEST(EvaluationsToShare, FollowFromTheRankOfTheTarget) {
  // Median 3. 95 %: target 1.1, rank 4, ceil(4 / 2). 1 %: target 2.98, rank 3, ceil(3 / 3).
  EXPECT_EQ(evaluations_to_share(kFive, 0.95), 2U);
  EXPECT_EQ(evaluations_to_share(kFive, 0.01), 1U);
  // Median 2.5; 50 %: target 1.75, rank 3, ceil(3 / 2).
  EXPECT_EQ(evaluations_to_share(Values{1, 2, 3, 4}, 0.5), 2U);
}

TEST(ExpectedOfRandom, IsTheMeanOverAllDrawings) {
  const Values gain = {10, 5};                             // and one failure: three configurations
  EXPECT_DOUBLE_EQ(expected_of_random(gain, 1, 1, 0), 5);  // 10, 5, none
  EXPECT_DOUBLE_EQ(expected_of_random(gain, 1, 2, 0), 25.0 / 3);  // 10, 10, 5
  EXPECT_DOUBLE_EQ(expected_of_random(gain, 1, 3, 0), 10);        // all of them
  EXPECT_DOUBLE_EQ(expected_of_random(gain, 1, 1, -3), 4);        // 10, 5, -3
  EXPECT_DOUBLE_EQ(expected_of_random(gain, 1, 1000, -3), 10);    // no more than there are
  EXPECT_DOUBLE_EQ(expected_of_random(gain, 2, 2, 0), 40.0 / 6);  // 3 of 6 have 10, 2 have 5
}

TEST(EvaluationScore, IsTheMeanPlaceBetweenRandomAndOptimum) {
  const EvaluationScore score(kNine, 3);
  ASSERT_EQ(score.evaluations(), 3U);
  // Random has 4, 2 and then the optimum, where nothing can be gained: left out.
  EXPECT_DOUBLE_EQ(score.of(Values{7, 4, 1}), (-3.0 / 3 - 2.0 / 1) / 2);
  EXPECT_DOUBLE_EQ(score.of(Values{4, 2, 1}), 0);
  EXPECT_DOUBLE_EQ(score.of(Values{1, 1, 1}), 1);
}

TEST(EvaluationScore, RunsThatEndKeepTheirValue) {
  const EvaluationScore score(kNine, 3);
  EXPECT_DOUBLE_EQ(score.of(Values{7}), score.of(Values{7, 7, 7}));
  EXPECT_DOUBLE_EQ(score.before_success(), 5);
  EXPECT_DOUBLE_EQ(score.of(Values{}), score.of(Values{5, 5, 5}));
}

TEST(EvaluationScore, CountsAtLeastTwentyEvaluationsAndAtMostTheBudget) {
  EXPECT_EQ(EvaluationScore(kFive, 400).evaluations(), 20U);
  EXPECT_EQ(EvaluationScore(kFive, 7).evaluations(), 7U);
}

TEST(EvaluationScore, ExpectsOfUniformDrawingWhatItsMeanHas) {
  const EvaluationScore score(kFive, 400);  // only the first evaluation counts: random has 2
  EXPECT_DOUBLE_EQ(score.expected_for_random(kFive, 0), -1);
  EXPECT_DOUBLE_EQ(score.expected_for_random(kFive, 5), -1);  // a failure stands at the median, 3
}

TEST(Pchip, AgreesWithSciPy) {
  const Pchip a({0, 1, 3, 4, 6}, {10, 7, 6.5, 6.5, 1});
  EXPECT_NEAR(a(0.5), 8.074095911949685, 1e-12);
  EXPECT_NEAR(a(2), 6.622641509433962, 1e-12);
  EXPECT_NEAR(a(3.5), 6.5, 1e-12);
  EXPECT_NEAR(a(5), 4.895833333333333, 1e-12);
  EXPECT_NEAR(a(5.9), 1.453520833333332, 1e-12);
  const Pchip b({0, 1, 3}, {0, 4, 3});
  EXPECT_NEAR(b(0.5), 2.6875, 1e-12);
  EXPECT_NEAR(b(2), 3.875, 1e-12);
  EXPECT_NEAR(b(2.5), 3.578125, 1e-12);
}

TEST(Pchip, FewPointsGiveALineOrAConstant) {
  EXPECT_DOUBLE_EQ(Pchip({1, 3}, {2, 6})(1.5), 3);
  EXPECT_DOUBLE_EQ(Pchip({1}, {2})(7), 2);
  EXPECT_DOUBLE_EQ(Pchip({1, 3}, {2, 6})(0), 2);
  EXPECT_DOUBLE_EQ(Pchip({1, 3}, {2, 6})(9), 6);
}

TEST(DecreasingFit, AgreesWithScikitLearn) {
  const std::vector<DecreasingFit::Point> points = {{1, 5, 1}, {2, 6, 1}, {2, 2, 1},
                                                    {3, 3, 2}, {5, 4, 1}, {6, 0, 1}};
  const Values fitted = DecreasingFit(points).at(Values{0, 1, 1.5, 2, 2.5, 3, 4, 5.5, 9});
  const Values expected = {5, 5, 4.5, 4, 11.0 / 3, 10.0 / 3, 10.0 / 3, 5.0 / 3, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(fitted[i], expected[i], 1e-12);
}

TEST(DecreasingFit, PointsWithoutWeightAreNotThere) {
  const std::vector<DecreasingFit::Point> points = {{1, 5, 1}, {2, 90, 0}, {3, 1, 1}};
  EXPECT_EQ(DecreasingFit(points).at(Values{2}), Values{3});
}

// Nine configurations of one second each.
class TimeScoreOfNine : public testing::Test {
 protected:
  static TimedSpace space() {
    TimedSpace s;
    s.values = kNine;
    s.median_cost = s.mean_cost = 1;
    return s;
  }
  static std::optional<double> scored(const std::vector<std::optional<double>>& best) {
    const Values seconds = {1, 2, 3, 4, 5};
    const TimeScore score(space());
    const std::vector<TimedRun> runs = {{best, seconds}};
    return score.of(TimeScore::Pool(score, runs), Values{1});
  }
};

TEST_F(TimeScoreOfNine, TheAxisGoesFromTheOnePercentToTheNinetyFivePercentBudget) {
  const TimeScore score(space());
  // Median 5. 1 %: target 4.96, rank 5, ceil(5 / 5); 95 %: target 1.2, rank 8, ceil(8 / 2).
  EXPECT_DOUBLE_EQ(score.start(), 1);
  EXPECT_DOUBLE_EQ(score.end(), 4);
}

TEST_F(TimeScoreOfNine, TheOptimumFromTheStartScoresOne) {
  EXPECT_NEAR(*scored({1, 1, 1, 1, 1}), 1, 1e-12);
}

TEST_F(TimeScoreOfNine, WorseThanRandomIsNegative) {
  EXPECT_LT(*scored({9, 9, 9, 9, 9}), -3);
  EXPECT_GT(*scored({9, 2, 1, 1, 1}), *scored({9, 9, 2, 1, 1}));
}

TEST_F(TimeScoreOfNine, WithoutASuccessThereIsNoScore) {
  EXPECT_EQ(scored({std::nullopt, std::nullopt}), std::nullopt);
}

TEST_F(TimeScoreOfNine, WeightsCountRuns) {
  const Values seconds = {1, 2, 3, 4, 5};
  const std::vector<std::optional<double>> good = {2, 1, 1, 1, 1}, bad = {9, 8, 7, 6, 5};
  const TimeScore score(space());
  const std::vector<TimedRun> two = {{good, seconds}, {bad, seconds}};
  const std::vector<TimedRun> three = {{good, seconds}, {bad, seconds}, {bad, seconds}};
  const TimeScore::Pool of_two(score, two), of_three(score, three);
  EXPECT_DOUBLE_EQ(*score.of(of_two, Values{1, 2}), *score.of(of_three, Values{1, 1, 1}));
  EXPECT_DOUBLE_EQ(*score.of(of_two, Values{1, 0}), *scored(good));
}

}  // namespace
}  // namespace nightshift::bench
