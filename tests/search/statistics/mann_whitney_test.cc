#include "search/statistics/mann_whitney.h"

#include "base/rng.h"
#include "search/statistics/distributions.h"
#include "tests/search/statistics/fixtures.h"

namespace nightshift::search {
namespace {

TEST(MannWhitney, ExactAgreesWithTheReference) {
  const auto& entry = fixture("mann_whitney_exact");
  const auto& expect = entry["expect"];
  const Values x = entry["x"], y = entry["y"];
  const MannWhitney test = mann_whitney(x, y);
  EXPECT_TRUE(test.exact);
  EXPECT_EQ(test.u, expect["U_x"]);
  expect_close(test.p_two_sided, expect["p_two_sided_exact"], "two-sided");
  expect_close(test.p_less, expect["p_less_exact"], "less");
  expect_close(mann_whitney_normal(x, y).p_two_sided, expect["p_two_sided_asymptotic_cc"], "cc");
}

TEST(MannWhitney, WithTiesAgreesWithTheReference) {
  const auto& entry = fixture("mann_whitney_ties_32ns_ticks");
  const auto& expect = entry["expect"];
  const Values x = entry["x"], y = entry["y"];
  const MannWhitney test = mann_whitney(x, y);
  EXPECT_FALSE(test.exact);
  EXPECT_EQ(test.u, expect["U_x"]);
  expect_close(test.p_two_sided, expect["p_two_sided_cc"], "two-sided");
  expect_close(test.p_greater, expect["p_greater_cc"], "greater");
  expect_close(mann_whitney_normal(x, y, false).p_two_sided, expect["p_two_sided_no_cc"], "no cc");
}

TEST(MannWhitney, TurnsRoundWithItsSides) {
  const Values x = {1, 5, 7, 9, 12, 3, 2.5}, y = {4, 8, 10};
  for (const auto test : {mann_whitney_exact, mann_whitney}) {
    const MannWhitney one = test(x, y), other = test(y, x);
    EXPECT_EQ(one.u + other.u, 21);
    EXPECT_DOUBLE_EQ(one.p_less, other.p_greater);
    EXPECT_DOUBLE_EQ(one.p_greater, other.p_less);
    EXPECT_DOUBLE_EQ(one.p_two_sided, other.p_two_sided);
  }
}

// Of {0, 1 | 1, 2} the six choices of two have doubled rank sums 7 (1st with either tie), 10 (1st
// with last, both ties), 13: x = {0, 1} has the lowest.
TEST(MannWhitney, ExactCountsTiedRanks) {
  const MannWhitney test = mann_whitney_exact(Values{0, 1}, Values{1, 2});
  EXPECT_EQ(test.u, 0.5);
  EXPECT_DOUBLE_EQ(test.p_less, 2.0 / 6);
  EXPECT_DOUBLE_EQ(test.p_greater, 1);
}

TEST(MannWhitney, OfEqualOrMissingValuesShowsNothing) {
  for (const Values& bad : {Values{}, Values{kNaN}, Values{1, kInfinity}}) {
    EXPECT_EQ(mann_whitney(bad, Values{1, 2}).p_two_sided, 1);
    EXPECT_EQ(mann_whitney(Values{1, 2}, bad).p_greater, 1);
  }
  const MannWhitney equal = mann_whitney(Values{3, 3, 3}, Values{3, 3});
  EXPECT_EQ(equal.p_two_sided, 1);
  EXPECT_EQ(equal.p_less, 1);
  EXPECT_EQ(mann_whitney_exact(Values{3, 3}, Values{3}).p_greater, 1);
  EXPECT_EQ(mann_whitney(Values{1}, Values{2}).p_less, 0.5);
}

TEST(MannWhitney, ExactAndNormalMeetAtTheLimit) {
  base::Rng rng(3);
  Values x, y;
  for (int i = 0; i < 50; ++i) x.push_back(rng.normal()), y.push_back(0.3 + rng.normal());
  const MannWhitney exact = mann_whitney(x, y);
  EXPECT_TRUE(exact.exact);
  EXPECT_NEAR(mann_whitney_normal(x, y).p_less, exact.p_less, 0.02 * exact.p_less);
  y.push_back(100);
  EXPECT_FALSE(mann_whitney(x, y).exact);
  // One against many: the work follows the smaller side.
  Values many(2500);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i);
  EXPECT_NEAR(mann_whitney(many, Values{2.5}).p_less, 1 - 3.0 / 2501, 1e-12);
}

TEST(MannWhitney, OffsetDoesNotMatter) {
  const Values x = {1, 5, 7, 9}, y = {4, 8, 10};
  EXPECT_EQ(mann_whitney(shifted(x, 1e9), shifted(y, 1e9)).p_less, mann_whitney(x, y).p_less);
}

}  // namespace
}  // namespace nightshift::search
