#include "search/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "search/rng.h"

namespace nightshift::search {
namespace {

using Values = std::vector<double>;

TEST(Summary, OfNothingIsZero) {
  const Summary s = summarise({});
  EXPECT_EQ(s.count, 0U);
  EXPECT_EQ(s.mean, 0);
  EXPECT_EQ(s.median, 0);
  EXPECT_EQ(s.median_error, 0);
}

TEST(Summary, OfOneHasNoSpread) {
  const Summary s = summarise(Values{3});
  EXPECT_EQ(s.count, 1U);
  EXPECT_EQ(s.mean, 3);
  EXPECT_EQ(s.median, 3);
  EXPECT_EQ(s.sd, 0);
  EXPECT_EQ(s.mad, 0);
  EXPECT_EQ(s.median_error, 0);
}

TEST(Summary, OfTwo) {
  const Summary s = summarise(Values{4, 2});
  EXPECT_EQ(s.mean, 3);
  EXPECT_EQ(s.median, 3);
  EXPECT_DOUBLE_EQ(s.sd, std::sqrt(2));
  EXPECT_DOUBLE_EQ(s.mad, 1.4826);
  EXPECT_EQ(s.min, 2);
  EXPECT_EQ(s.max, 4);
  EXPECT_DOUBLE_EQ(s.median_error, 1.2533);
}

TEST(Summary, EvenOddAndTies) {
  EXPECT_EQ(median_of(Values{5, 1, 3}), 3);
  EXPECT_EQ(median_of(Values{5, 1, 3, 4}), 3.5);
  EXPECT_EQ(median_of(Values{2, 2, 2, 9}), 2);
  const Summary ties = summarise(Values{2, 2, 2, 2, 2, 2, 9});
  EXPECT_EQ(ties.mad, 0);
  EXPECT_EQ(ties.median, 2);
  EXPECT_EQ(ties.mean, 3);
}

TEST(Summary, LargeOffsetLosesNothing) {
  const Values values = {1e9, 1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4};
  EXPECT_DOUBLE_EQ(sd_of(values), std::sqrt(2.5));  // 1.5811
  EXPECT_EQ(mean_of(values), 1e9 + 2);
  EXPECT_EQ(median_of(values), 1e9 + 2);
}

TEST(Summary, EqualValuesHaveExactlyNoSpread) {
  const Values values(7, 0.1);
  EXPECT_EQ(mean_of(values), 0.1);
  EXPECT_EQ(sd_of(values), 0);
  EXPECT_EQ(summarise(values).median_error, 0);
}

TEST(Summary, OutliersDoNotMoveMedianAndMad) {
  const Values values = {50.5, 50.6, 50.4, 50.7, 50.5, 50.6, 50.5, 58.0, 50.4, 50.6, 50.5, 66.0};
  const Summary s = summarise(values);
  EXPECT_NEAR(s.median, 50.55, 1e-12);
  EXPECT_NEAR(s.mad, 0.07413, 1e-12);
}

TEST(Summary, MedianErrorFromRanks) {
  // n = 6: the whole range, whose coverage is 1 - 2/64; z(1 - 1/64) = 2.153875.
  EXPECT_NEAR(summarise(Values{1, 2, 3, 4, 5, 6}).median_error, 5 / (2 * 2.153875), 1e-6);
}

TEST(Summary, MedianErrorEstimatesTheScatterOfMedians) {
  Rng rng(4);
  constexpr int kRepeats = 2000;
  Values medians;
  double claimed = 0;
  for (int i = 0; i < kRepeats; ++i) {
    Values sample;
    for (int k = 0; k < 20; ++k) sample.push_back(10 + rng.normal());
    const Summary s = summarise(sample);
    medians.push_back(s.median);
    claimed += s.median_error;
  }
  EXPECT_NEAR(claimed / kRepeats / sd_of(medians), 1, 0.1);
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
