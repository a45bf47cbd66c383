#include "search/statistics/summary.h"

#include "base/rng.h"
#include "search/statistics/distributions.h"
#include "tests/search/statistics/fixtures.h"

namespace nightshift::search {
namespace {

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

// n = 16: the ranks 5 and 12, round(8.5 - 4) with halves away from zero; below the fifth lie
// (1 + 16 + 120 + 560 + 1820) / 2^16 of the binomial distribution.
TEST(Summary, MedianErrorFromInnerRanks) {
  Values x;
  for (int i = 1; i <= 16; ++i) x.push_back(i * i);
  const double width = 2 * normal_upper_quantile(2517 / 65536.0);
  EXPECT_NEAR(summarise(x).median_error, (144 - 25) / width, 1e-12);
}

TEST(Summary, MedianErrorEstimatesTheScatterOfMedians) {
  base::Rng rng(4);
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

TEST(Summary, AgreesWithTheReference) {
  const auto& entry = fixture("robust_location_outliers");
  const Values x = entry["x"];
  const auto& expect = entry["expect"];
  expect_close(median_of(x), expect["median"], "median");
  expect_close(mad_of(x), expect["mad_sigma"], "mad");
  expect_close(summarise(x).mad, expect["mad_sigma"], "summary mad");
  expect_close({quantile_of(x, 0.25), quantile_of(x, 0.75)}, expect["type7_q1_q3"], "type 7");
  expect_close(trimmed_mean(x, 0.2), expect["trimmed_mean_20pct"], "trimmed mean");
}

TEST(Quantile, Type7LiesBetweenOrderStatistics) {
  const Values x = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(quantile_of(x, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile_of(x, 0.5), 2.5);
  EXPECT_EQ(quantile_of(x, 0), 1);
  EXPECT_EQ(quantile_of(x, 1), 4);
  EXPECT_EQ(quantile_of(x, -3), 1);
  EXPECT_EQ(quantile_of(x, 3), 4);
  EXPECT_EQ(quantile_of({}, 0.5), 0);
  EXPECT_EQ(quantile_of(Values{7}, 0.3), 7);
  EXPECT_TRUE(std::isnan(quantile_of(Values{1, kNaN}, 0.5)));
  EXPECT_EQ(quantile_of(shifted(x, 1e9), 0), 1e9 + 1);
  EXPECT_EQ(quantile_of(Values{1, kInfinity}, 0.1), kInfinity);
  EXPECT_EQ(quantile_of(Values{1, kInfinity}, 0), 1);
  EXPECT_EQ(quantile_of(Values{-kInfinity, 1}, 0.9), -kInfinity);
  EXPECT_EQ(quantile_of(Values{-kInfinity, -kInfinity, 1}, 0.25), -kInfinity);
}

TEST(Summary, TrimmedMeanTakesAsManyFromEachEnd) {
  const Values x = {1000, 1, 2, 3, -500};
  EXPECT_EQ(trimmed_mean(x, 0.2), 2);
  EXPECT_EQ(trimmed_mean(x, 0.4), 2);
  EXPECT_EQ(trimmed_mean(x, 0.19), mean_of(x));
  EXPECT_EQ(trimmed_mean({}, 0.2), 0);
  EXPECT_EQ(trimmed_mean(Values{5}, 0.45), 5);
  EXPECT_TRUE(std::isnan(trimmed_mean(Values{1, kNaN, 3}, 0.4)));
}

TEST(Summary, OfNaNIsNaNAndInfinitiesAreNumbers) {
  EXPECT_TRUE(std::isnan(mean_of(Values{1, kNaN})));
  EXPECT_TRUE(std::isnan(sd_of(Values{1, kNaN})));
  EXPECT_TRUE(std::isnan(median_of(Values{1, kNaN, 2})));
  EXPECT_TRUE(std::isnan(mad_of(Values{1, kNaN, 2})));
  EXPECT_EQ(median_of(Values{1, kInfinity, 2}), 2);
  EXPECT_EQ(median_of(Values{kInfinity, kInfinity}), kInfinity);
  EXPECT_EQ(mad_of(Values{1, 2, 3, kInfinity, kInfinity}), kMadToSd * 2);
  EXPECT_EQ(mad_of(Values{kInfinity, kInfinity}), 0);
}

TEST(MedianInterval, AgreesWithTheReference) {
  for (const auto& c : fixture("median_ci_order_statistics")["cases"]) {
    const MedianRanks ranks = median_ranks(c["n"], 0.95);
    EXPECT_EQ(ranks.low, c["rank_low_1based"]) << c;
    EXPECT_EQ(ranks.high, c["rank_high_1based"]) << c;
    expect_close(ranks.coverage, c["coverage"], c.dump());
  }
}

TEST(MedianInterval, NeedsSixValuesAt95Percent) {
  for (const std::size_t n : {0U, 1U, 2U, 5U}) EXPECT_EQ(median_ranks(n, 0.95).low, 0U) << n;
  EXPECT_EQ(median_interval(Values{1, 2, 3, 4, 5}, 0.95).low, -kInfinity);
  EXPECT_EQ(median_interval({}, 0.95).high, kInfinity);
  const Interval six = median_interval(Values{6, 5, 4, 3, 2, 1}, 0.95);
  EXPECT_EQ(six.low, 1);
  EXPECT_EQ(six.high, 6);
  EXPECT_EQ(median_ranks(2, 0.5).low, 1U);  // 1 - 2/4, exactly what is asked
  EXPECT_EQ(median_ranks(2, 0.5001).low, 0U);
  EXPECT_EQ(median_ranks(100, 0).low, 50U);  // never crosses itself
  EXPECT_EQ(median_ranks(101, 0).low, 50U);
}

TEST(Summary, RoundingVarianceIsThatOfAUniformError) {
  EXPECT_DOUBLE_EQ(rounding_variance(12), 12);
  EXPECT_DOUBLE_EQ(rounding_variance(0.032), 0.032 * 0.032 / 12);
}

}  // namespace
}  // namespace nightshift::search
