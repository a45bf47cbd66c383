#include "search/statistics/location_tests.h"

#include <utility>

#include "search/rng.h"
#include "tests/search/statistics/fixtures.h"

namespace nightshift::search {
namespace {

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
