#include "search/statistics/series.h"

#include "base/rng.h"
#include "search/statistics/distributions.h"
#include "search/statistics/summary.h"
#include "tests/search/statistics/fixtures.h"
#include "tests/search/statistics/precision_of_mean.h"

namespace nightshift::search {
namespace {

const Values kSeries = fixture("autocorrelation")["series"];

// Values of a first-order autoregression.
Values wave(base::Rng& rng, std::size_t n, double phi) {
  Values values = {rng.normal()};
  const double fresh = std::sqrt(1 - phi * phi);
  while (values.size() < n) values.push_back(phi * values.back() + fresh * rng.normal());
  return values;
}

TEST(Series, AgreesWithTheReference) {
  const auto& expect = fixture("autocorrelation")["expect"];
  expect_close(autocorrelation(kSeries, 5), expect["acf_1_to_5"], "acf");
  expect_close(ljung_box(kSeries, 5).q, expect["ljung_box_Q5"], "q");
  expect_close(ljung_box(kSeries, 5).p, expect["ljung_box_p"], "p");
}

TEST(Series, OfTooFewEqualOrNotFiniteValuesKnowsNothing) {
  for (const Values& series : {Values{}, Values{1}, Values{2, 2, 2, 2}, Values{1, kNaN, 2, 3},
                               Values{1, kInfinity, 2, 3}}) {
    EXPECT_EQ(autocorrelation(series, 2), (Values{0, 0}));
    EXPECT_EQ(ljung_box(series, 5).p, 1);
  }
}

TEST(Series, LagsEndWithTheSeries) {
  EXPECT_EQ(autocorrelation(Values{1, 2}, 3), (Values{-0.5, 0, 0}));
  EXPECT_EQ(ljung_box(Values{1, 2, 4}, 5).q, ljung_box(Values{1, 2, 4}, 2).q);
  EXPECT_EQ(ljung_box(Values{1, 2, 4}, 5).p, ljung_box(Values{1, 2, 4}, 2).p);
  EXPECT_EQ(ljung_box(kSeries, 0).p, 1);
}

TEST(Series, OffsetDoesNotMatter) {
  const Values x = {1, 2, 4, 3, 5, 7, 6, 9};
  const Values far = shifted(x, 1e9);
  EXPECT_EQ(autocorrelation(far, 3), autocorrelation(x, 3));
  EXPECT_DOUBLE_EQ(precision_of_mean(far, 0).half_width, precision_of_mean(x, 0).half_width);
  EXPECT_DOUBLE_EQ(single_change_point(far).abs_t, single_change_point(x).abs_t);
}

TEST(LjungBox, OfIndependentValuesErrsAsOftenAsItClaims) {
  base::Rng rng(2);
  int errors = 0;
  constexpr int kRuns = 4000;
  for (int i = 0; i < kRuns; ++i) errors += ljung_box(wave(rng, 200, 0), 5).p < 0.05 ? 1 : 0;
  EXPECT_NEAR(errors, kRuns * 0.05, 4 * std::sqrt(kRuns * 0.05));
}

TEST(PrecisionOfMean, KnownAnswer) {
  // Deviations 1, 1, -1, -1: r1 = 0.25, s^2 = 4/3; three fifths of four values are 2.4.
  const MeanPrecision p = precision_of_mean(Values{11, 11, 9, 9}, 0.6);
  EXPECT_DOUBLE_EQ(p.mean, 10);
  EXPECT_DOUBLE_EQ(p.effective_n, 4 * 0.75 / 1.25);
  EXPECT_DOUBLE_EQ(p.error, std::sqrt(4.0 / 3 / 4 * 1.25 / 0.75 + 0.36 / 12 / 4));
  EXPECT_DOUBLE_EQ(p.half_width, student_quantile(0.975, 1.4) * p.error);
  EXPECT_TRUE(p.within(p.half_width / 10 * 1.000001));
  EXPECT_FALSE(p.within(p.half_width / 10 * 0.999999));
}

TEST(PrecisionOfMean, IsNotBetterForNegativeAutocorrelation) {
  const MeanPrecision p = precision_of_mean(Values{1, 3, 1, 3, 1, 3}, 0);
  EXPECT_EQ(p.effective_n, 6);
  EXPECT_DOUBLE_EQ(p.error, std::sqrt(1.2 / 6));
}

TEST(PrecisionOfMean, OfTiesRestsOnTheTick) {
  const MeanPrecision p = precision_of_mean(Values{6.56, 6.56, 6.56, 6.56}, 0.032);
  EXPECT_DOUBLE_EQ(p.error, 0.032 / std::sqrt(12 * 4));
  EXPECT_EQ(precision_of_mean(Values{1, 1}, 0).half_width, 0);
}

TEST(PrecisionOfMean, OfTooFewIsUnknown) {
  for (const Values& series : {Values{}, Values{1}, Values{1, kNaN, 2}}) {
    EXPECT_EQ(precision_of_mean(series, 0).half_width, kInfinity);
    EXPECT_FALSE(precision_of_mean(series, 0).within(1e9));
  }
  EXPECT_FALSE(precision_of_mean(Values{-1, -1, -1}, 0).within(0.1));
  // One slow wave is worth no more than one value.
  Values slow;
  for (int i = 0; i < 30; ++i) slow.push_back(std::sin(i * std::acos(-1.0) / 15));
  const MeanPrecision one = precision_of_mean(slow, 0);
  EXPECT_LT(one.effective_n, 1);
  EXPECT_EQ(one.half_width, kInfinity);
}

TEST(PrecisionOfMean, CoversTheTruthOfAutocorrelatedSeries) {
  base::Rng rng(9);
  int covered = 0, without = 0;
  constexpr int kRuns = 2000;
  for (int i = 0; i < kRuns; ++i) {
    const Values x = wave(rng, 200, 0.5);
    const MeanPrecision p = precision_of_mean(x, 0);
    covered += std::abs(p.mean) <= p.half_width ? 1 : 0;
    without += std::abs(p.mean) <= 1.96 * sd_of(x) / std::sqrt(200) ? 1 : 0;
  }
  EXPECT_GT(covered, kRuns * 0.93);
  EXPECT_LT(covered, kRuns * 0.97);
  EXPECT_LT(without, kRuns * 0.80);  // what the plain standard error would claim to be 95 %
}

TEST(ChangePoint, AgreesWithTheReference) {
  const auto& entry = fixture("single_change_point");
  const SingleChangePoint at = single_change_point(Values(entry["x"]));
  EXPECT_EQ(at.first_after, entry["expect"]["split"]);
  expect_close(at.abs_t, entry["expect"]["abs_t"], "t");
}

TEST(ChangePoint, NeedsThreeValuesOnEachSide) {
  EXPECT_EQ(single_change_point(Values{0, 0, 1, 1, 1}).first_after, 0U);
  EXPECT_EQ(single_change_point(Values{0, 9, 1, 2, 1, 2}).first_after, 3U);
  EXPECT_EQ(single_change_point(Values(9, 4.0)).first_after, 0U);
  EXPECT_EQ(single_change_point(Values{0, 0, 0, 1, 1, kNaN}).abs_t, 0);
}

TEST(ChangePoint, OfACleanStepIsCertain) {
  const SingleChangePoint at = single_change_point(shifted({0, 0, 0, 0, 1, 1, 1}, 1e9));
  EXPECT_EQ(at.first_after, 4U);
  EXPECT_EQ(at.abs_t, kInfinity);
}

// A step of 1 with noise of 1e-7: sums of squares of the whole series would cancel.
TEST(ChangePoint, KeepsTheDigitsOfASmallNoise) {
  const Values noise = {1, -2, 3, -1, 2, 1, 3, -2};
  Values x;
  for (std::size_t i = 0; i < 8; ++i) x.push_back((i < 5 ? 0 : 1) + 1e-7 * noise[i]);
  const Values left(x.begin(), x.begin() + 5), right(x.begin() + 5, x.end());
  const double t =
      (mean_of(right) - mean_of(left)) / std::sqrt(variance_of(left) / 5 + variance_of(right) / 3);
  EXPECT_EQ(single_change_point(x).first_after, 5U);
  EXPECT_NEAR(single_change_point(x).abs_t, t, 1e-7 * t);
}

}  // namespace
}  // namespace nightshift::search
