#include "search/statistics/location_tests.h"

#include <utility>

#include "base/rng.h"
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
  const TTest test = paired_t(Values(expect["diffs"]));
  expect_close(test.effect, expect["mean"], "mean");
  expect_close(test.effect / test.cohens_d, expect["sd"], "sd");
  expect_close(test.t, expect["t"], "t");
  EXPECT_EQ(test.df, expect["df"]);
  expect_close(test.p_two_sided, expect["p_two_sided"], "p two-sided");
  expect_close(test.p_greater, expect["p_greater"], "p greater");
}

TEST(Welch, ScaleDoesNotMatter) {
  const Values a = {1.0, 1.1, 0.9, 1.05};
  const Values b = {1.2, 1.15, 1.3, 1.22};
  const double plain = welch_test(b, a).p_greater;
  for (const double scale : {1e-140, 1e-9, 1e9, 1e150}) {
    Values small = a;
    Values large = b;
    for (double& x : small) x *= scale;
    for (double& x : large) x *= scale;
    EXPECT_NEAR(welch_test(large, small).p_greater, plain, 1e-9) << scale;
  }
}

TEST(Welch, OfTwoIsEnough) {
  // t = 2 / 1 with 2 degrees of freedom: P(T > 2) = 1/2 - 1/sqrt(6).
  const Values low = {1, 1 + std::sqrt(2)}, high = shifted(low, 2);
  EXPECT_NEAR(welch_test(high, low).p_greater, 0.5 - 1 / std::sqrt(6), 1e-12);
}

}  // namespace
}  // namespace nightshift::search
