#include "search/statistics/location_tests.h"

#include <utility>

#include "search/rng.h"
#include "search/statistics/distributions.h"
#include "search/statistics/summary.h"
#include "tests/search/statistics/fixtures.h"

namespace nightshift::search {
namespace {

TEST(TTest, WelchAgreesWithTheReference) {
  for (const char* name : {"welch_t", "welch_t_small_unequal"}) {
    const auto& entry = fixture(name);
    const auto& expect = entry["expect"];
    const Values x = entry["x"], y = entry["y"];
    const TTest test = welch_test(x, y);
    expect_close({mean_of(x), mean_of(y)}, {expect["mean_x"], expect["mean_y"]}, "means");
    expect_close({sd_of(x), sd_of(y)}, {expect["sd_x"], expect["sd_y"]}, "sds");
    expect_close(test.effect, expect["diff"], "effect");
    expect_close(test.error, expect["se"], "error");
    expect_close(test.df, expect["df"], "df");
    expect_close(test.t, expect["t"], "t");
    expect_close(test.p_two_sided, expect["p_two_sided"], "p two-sided");
    expect_close(test.p_greater, expect["p_greater"], "p greater");
    expect_close(test.cohens_d, expect["cohens_d_pooled_equal_weight"], "d");
    const Interval interval = interval_of(test, 0.95);
    expect_close({interval.low, interval.high}, expect["ci95_diff"], "interval");
    EXPECT_NEAR(welch_test(y, x).p_greater, 1 - test.p_greater, 1e-15);
    EXPECT_DOUBLE_EQ(welch_test(y, x).p_two_sided, test.p_two_sided);
  }
}

TEST(TTest, WithoutVarianceRestsOnTheFloor) {
  const auto& entry = fixture("welch_t_zero_variance");
  const Values x = entry["x2"], y = entry["y2"];
  const TTest equal = welch_test(Values(entry["x"]), Values(entry["y"]));
  EXPECT_EQ(equal.p_greater, 1);
  EXPECT_EQ(equal.p_two_sided, 1);
  EXPECT_EQ(equal.effect, 0);
  // A difference without a floor is no evidence either.
  EXPECT_EQ(welch_test(x, y).p_greater, 1);
  EXPECT_EQ(interval_of(welch_test(x, y), 0.95).low, -kInfinity);
  const TTest floored = welch_test(x, y, rounding_variance(0.1));
  EXPECT_DOUBLE_EQ(floored.error, 0.1 / std::sqrt(12) / std::sqrt(2));
  EXPECT_DOUBLE_EQ(floored.df, 6);
  EXPECT_NEAR(floored.t, std::sqrt(24), 1e-12);
  EXPECT_EQ(floored.p_greater, student_upper_tail(floored.t, floored.df));
  const TTest even = welch_test(Values(entry["x"]), Values(entry["y"]), 1);
  EXPECT_EQ(even.p_greater, 0.5);
  EXPECT_EQ(even.p_two_sided, 1);
  EXPECT_EQ(paired_t(Values{3, 3, 3}).p_greater, 1);
  EXPECT_DOUBLE_EQ(paired_t(Values{3, 3, 3}, 9).t, std::sqrt(3));
}

TEST(TTest, OfTooFewOrNotFiniteShowsNothing) {
  for (const Values& bad : {Values{}, Values{1}, Values{1, kNaN}, Values{1, kInfinity}}) {
    for (const TTest& test :
         {welch_test(bad, Values{1, 2}), welch_test(Values{1, 2}, bad), paired_t(bad)}) {
      EXPECT_EQ(test.p_greater, 1);
      EXPECT_EQ(test.p_two_sided, 1);
      EXPECT_EQ(test.error, kInfinity);
      EXPECT_EQ(interval_of(test, 0.95).high, kInfinity);
      EXPECT_FALSE(std::isnan(test.effect));
    }
  }
  EXPECT_EQ(welch_test(Values{5}, Values{1, 3}).effect, 3);
  EXPECT_EQ(paired_t(Values{5}).effect, 5);
}

TEST(TTest, OffsetDoesNotMatter) {
  const Values x = {1, 2, 3, 6}, y = {2, 5, 2, 7};
  EXPECT_EQ(welch_test(shifted(x, 1e9), shifted(y, 1e9)).p_greater, welch_test(x, y).p_greater);
}

TEST(TTest, PairedAgreesWithTheReference) {
  const auto& entry = fixture("paired_t");
  const auto& expect = entry["expect"];
  const Values d = differences_of(Values(entry["x"]), Values(entry["y"]));
  expect_close(d, expect["diffs"], "differences");
  const TTest test = paired_t(d);
  expect_close(test.effect, expect["mean"], "mean");
  expect_close(test.effect / test.cohens_d, expect["sd"], "sd");
  expect_close(test.t, expect["t"], "t");
  EXPECT_EQ(test.df, expect["df"]);
  expect_close(test.p_two_sided, expect["p_two_sided"], "p two-sided");
  expect_close(test.p_greater, expect["p_greater"], "p greater");
  const Interval interval = interval_of(test, 0.95);
  expect_close({interval.low, interval.high}, expect["ci95"], "interval");
}

TEST(SpeedUp, OfPairsAgreesWithTheReference) {
  const auto& entry = fixture("paired_log_ratio");
  const auto& expect = entry["expect"];
  const Values ratios = log_ratios(Values(entry["x"]), Values(entry["y"]));
  expect_close(ratios, expect["log_diffs"], "ratios");
  const TTest test = paired_t(ratios);
  expect_close(test.effect, expect["mean"], "mean");
  expect_close(sd_of(ratios), expect["sd"], "sd");
  const SpeedUp speed_up = speed_up_of(test);
  expect_close(speed_up.factor, expect["speedup"], "factor");
  expect_close(speed_up.improvement_percent, expect["improvement_percent"], "percent");
  expect_close({speed_up.interval.low, speed_up.interval.high}, expect["ci95_speedup"], "interval");
}

TEST(SpeedUp, GeometricMeanAgreesWithTheReference) {
  const auto& entry = fixture("geomean_speedup");
  const SpeedUp mean = geometric_mean(Values(entry["x"]));
  expect_close(mean.factor, entry["expect"]["gmean"], "gmean");
  expect_close({mean.interval.low, mean.interval.high}, entry["expect"]["ci95"], "interval");
}

TEST(SpeedUp, OfTooFewOrImpossibleFactorsIsUnknown) {
  const SpeedUp one = geometric_mean(Values{4});
  EXPECT_EQ(one.factor, 4);
  EXPECT_EQ(one.improvement_percent, 75);
  EXPECT_EQ(one.interval.low, 0);
  EXPECT_EQ(one.interval.high, kInfinity);
  for (const Values& bad : {Values{}, Values{1, 0}, Values{1, -2}, Values{1, kNaN}}) {
    EXPECT_EQ(geometric_mean(bad).factor, 1);
    EXPECT_EQ(geometric_mean(bad).interval.high, kInfinity);
  }
  EXPECT_EQ(paired_t(log_ratios(Values{1, 2, 3}, Values{1, 0, 2})).p_greater, 1);
  EXPECT_EQ(log_ratios(Values{1, 2, 3}, Values{1}).size(), 1U);
}

// Figures of scipy.stats.ttest_ind(equal_var=False).
TEST(Welch, AgreesWithAnIndependentImplementation) {
  const Values x = {101.2, 99.8, 100.5, 102.1, 98.9, 100.3, 101.7, 99.5, 100.9, 100.1};
  const Values y = {98.7, 99.1, 97.9, 100.2, 98.4, 99.0, 97.5, 98.8, 99.6, 98.1, 98.5, 99.3};
  const WelchResult less = welch_less(y, x);
  EXPECT_NEAR(less.t, -4.559273862438466, 1e-9);
  EXPECT_NEAR(less.df, 16.537104239522378, 1e-9);
  EXPECT_NEAR(less.p, 0.00014856625429434262, 1e-13);
  EXPECT_NEAR(welch_less(x, y).p, 1 - 0.00014856625429434262, 1e-12);
}

TEST(Welch, UnequalVariancesAndSizes) {
  const WelchResult less = welch_less(Values{9.0, 9.5, 8.5, 9.2, 9.1}, Values{10, 12, 11});
  EXPECT_NEAR(less.t, -3.233632757636733, 1e-9);
  EXPECT_NEAR(less.df, 2.32453471497682, 1e-9);
  EXPECT_NEAR(less.p, 0.06851753623561868 / 2, 1e-9);
}

TEST(Welch, TooFewShowNothing) {
  EXPECT_EQ(welch_less({}, Values{1, 2}).p, 1);
  EXPECT_EQ(welch_less(Values{1}, Values{2, 3}).p, 1);
  EXPECT_EQ(welch_less(Values{1, 1}, Values{2}).p, 1);
}

TEST(Welch, OfTwoIsEnough) {
  // t = -2 / 1 with 2 degrees of freedom: P(T < -2) = 1/2 - 1/sqrt(6).
  const Values low = {1, 1 + std::sqrt(2)}, high = shifted(low, 2);
  EXPECT_NEAR(welch_less(low, high).p, 0.5 - 1 / std::sqrt(6), 1e-12);
  EXPECT_NEAR(welch_test(high, low).p_greater, 0.5 - 1 / std::sqrt(6), 1e-12);
}

TEST(Welch, WithoutVarianceTheOrderDecides) {
  const Values low(4, 4.9);
  const Values high(4, 5.0);
  EXPECT_EQ(welch_less(high, high).p, 1);
  EXPECT_EQ(welch_less(low, high).p, 0);
  EXPECT_EQ(welch_less(high, low).p, 1);
}

TEST(Welch, ScaleDoesNotMatter) {
  const Values a = {1.0, 1.1, 0.9, 1.05};
  const Values b = {1.2, 1.15, 1.3, 1.22};
  const WelchResult plain = welch_less(a, b);
  for (const double scale : {1e-140, 1e-9, 1e9, 1e150}) {
    Values small = a;
    Values large = b;
    for (double& x : small) x *= scale;
    for (double& x : large) x *= scale;
    EXPECT_NEAR(welch_less(small, large).p, plain.p, 1e-9) << scale;
  }
}

TEST(RatioInterval, KnownAnswer) {
  // Both have a relative standard deviation of 0.1, so df = 4 and t(0.975, 4) = 2.776445.
  const Interval interval = ratio_interval(Values{9, 10, 11}, Values{18, 20, 22}, 0.95);
  const double reach = 2.7764451051977987 * std::sqrt(0.02 / 3);
  EXPECT_NEAR(interval.low, 0.5 * std::exp(-reach), 1e-12);
  EXPECT_NEAR(interval.high, 0.5 * std::exp(reach), 1e-12);
}

TEST(RatioInterval, WhereNothingIsKnownItIsEverything) {
  for (const auto& [a, b] : {std::pair(Values{1}, Values{1, 2}), std::pair(Values{1, 2}, Values{}),
                             std::pair(Values{-1, 1}, Values{1, 2})}) {
    const Interval interval = ratio_interval(a, b, 0.95);
    EXPECT_EQ(interval.low, 0);
    EXPECT_TRUE(std::isinf(interval.high));
  }
}

TEST(RatioInterval, WithoutVarianceItIsAPoint) {
  const Interval interval = ratio_interval(Values{1, 1}, Values{4, 4}, 0.95);
  EXPECT_EQ(interval.low, 0.25);
  EXPECT_EQ(interval.high, 0.25);
}

TEST(RatioInterval, CoversTheTruthAsOftenAsItClaims) {
  Rng rng(12);
  constexpr int kRepeats = 4000;
  int covered = 0;
  for (int i = 0; i < kRepeats; ++i) {
    Values a, b;
    for (int k = 0; k < 5; ++k) a.push_back(0.9 * (1 + 0.03 * rng.normal()));
    for (int k = 0; k < 8; ++k) b.push_back(1 + 0.01 * rng.normal());
    const Interval interval = ratio_interval(a, b, 0.95);
    covered += interval.low <= 0.9 && 0.9 <= interval.high ? 1 : 0;
  }
  // Four standard deviations of the binomial: 0.014.
  EXPECT_NEAR(static_cast<double>(covered) / kRepeats, 0.95, 0.014);
}

}  // namespace
}  // namespace nightshift::search
