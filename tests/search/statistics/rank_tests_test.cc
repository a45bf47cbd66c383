#include "search/statistics/rank_tests.h"

#include "search/rng.h"
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
  expect_close(hodges_lehmann_shift(x, y), expect["hodges_lehmann_shift"], "shift");
  expect_close(cliffs_delta(x, y), expect["cliffs_delta"], "delta");
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
    EXPECT_EQ(hodges_lehmann_shift(bad, Values{1}), 0);
    EXPECT_EQ(cliffs_delta(bad, Values{1}), 0);
  }
  const MannWhitney equal = mann_whitney(Values{3, 3, 3}, Values{3, 3});
  EXPECT_EQ(equal.p_two_sided, 1);
  EXPECT_EQ(equal.p_less, 1);
  EXPECT_EQ(mann_whitney_exact(Values{3, 3}, Values{3}).p_greater, 1);
  EXPECT_EQ(mann_whitney(Values{1}, Values{2}).p_less, 0.5);
}

TEST(MannWhitney, ExactAndNormalMeetAtTheLimit) {
  Rng rng(3);
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
  EXPECT_EQ(hodges_lehmann_shift(shifted(x, 1e9), shifted(y, 1e9)), hodges_lehmann_shift(x, y));
}

TEST(Wilcoxon, AgreesWithTheReference) {
  const auto& entry = fixture("wilcoxon_signed_rank_exact");
  const auto& expect = entry["expect"];
  const Values d = entry["d"];
  const WilcoxonSignedRank test = wilcoxon_signed_rank(d);
  EXPECT_EQ(test.w_plus, expect["W_plus"]);
  EXPECT_EQ(test.w_minus, expect["W_min"]);
  expect_close(test.p_two_sided, expect["p_two_sided"], "two-sided");
  expect_close(test.p_greater, expect["p_greater"], "greater");
  expect_close(hodges_lehmann_centre(d), expect["hodges_lehmann_one_sample"], "centre");
}

TEST(Wilcoxon, LeavesZerosOutAndSharesRanks) {
  // Ranks 1.5, 1.5, 3: of the eight signs, those with 4.5 or more positive are {3, 1.5} twice and
  // all three.
  const WilcoxonSignedRank test = wilcoxon_signed_rank(Values{2, 0, -2, 5, 0});
  EXPECT_EQ(test.n, 3U);
  EXPECT_EQ(test.w_plus, 4.5);
  EXPECT_EQ(test.w_minus, 1.5);
  EXPECT_DOUBLE_EQ(test.p_greater, 3.0 / 8);
}

TEST(Wilcoxon, OfNothingShowsNothing) {
  for (const Values& bad : {Values{}, Values{0, 0}, Values{1, kNaN}, Values{kInfinity}}) {
    EXPECT_EQ(wilcoxon_signed_rank(bad).p_two_sided, 1);
    EXPECT_EQ(wilcoxon_signed_rank(bad).p_greater, 1);
  }
  EXPECT_EQ(wilcoxon_signed_rank(Values{3}).p_greater, 0.5);
  EXPECT_EQ(hodges_lehmann_centre({}), 0);
  EXPECT_EQ(hodges_lehmann_centre(Values{1, kNaN}), 0);
}

TEST(Wilcoxon, ExactAndNormalMeetAtTheLimit) {
  Rng rng(4);
  Values d;
  for (int i = 0; i < 200; ++i) d.push_back(0.1 + rng.normal());
  const WilcoxonSignedRank exact = wilcoxon_signed_rank(d);
  EXPECT_TRUE(exact.exact);
  d.push_back(1e-9);  // the smallest rank: changes next to nothing
  const WilcoxonSignedRank normal = wilcoxon_signed_rank(d);
  EXPECT_FALSE(normal.exact);
  EXPECT_NEAR(normal.p_greater, exact.p_greater, 0.02 * exact.p_greater);
  EXPECT_NEAR(normal.p_two_sided, exact.p_two_sided, 0.02 * exact.p_two_sided);
}

TEST(SignTest, AgreesWithTheReference) {
  const auto& entry = fixture("sign_test");
  const auto& expect = entry["expect"];
  const SignTest test =
      sign_test(entry["positives"].get<std::size_t>(), entry["n"].get<std::size_t>());
  expect_close(test.p_two_sided, expect["p_two_sided"], "two-sided");
  expect_close(test.p_greater, expect["p_greater"], "greater");
  expect_close({test.share.low, test.share.high}, expect["clopper_pearson95"], "share");
}

TEST(SignTest, OfDifferencesLeavesZerosOut) {
  const SignTest test = sign_test(Values{1, 2, 0, -1, 3, 0});
  EXPECT_DOUBLE_EQ(test.p_greater, 5.0 / 16);
  EXPECT_EQ(sign_test(Values{0, 0}).p_greater, 1);
  EXPECT_EQ(sign_test(Values{1, kNaN}).p_greater, 1);
}

TEST(SignTest, AtItsEnds) {
  EXPECT_EQ(sign_test(0, 0).share.high, 1);
  EXPECT_EQ(sign_test(3, 2).p_two_sided, 1);
  const SignTest none = sign_test(0, 4), all = sign_test(4, 4);
  EXPECT_EQ(none.share.low, 0);
  EXPECT_NEAR(none.share.high, 1 - std::pow(0.025, 0.25), 1e-12);
  EXPECT_EQ(none.p_greater, 1);
  EXPECT_EQ(all.share.high, 1);
  EXPECT_DOUBLE_EQ(all.p_greater, 1.0 / 16);
  EXPECT_DOUBLE_EQ(sign_test(2, 4).p_two_sided, 1);
}

}  // namespace
}  // namespace nightshift::search
