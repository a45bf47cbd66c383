#include "search/statistics/signed_rank.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/rng.h"

namespace nightshift::search {
namespace {

using Values = std::vector<double>;

TEST(SignedRank, CountsTheSignsThatReachAsMuch) {
  EXPECT_DOUBLE_EQ(signed_rank_p(Values{1}), 0.5);
  EXPECT_DOUBLE_EQ(signed_rank_p(Values{1, 2, 3}), 1.0 / 8);
  EXPECT_DOUBLE_EQ(signed_rank_p(Values{-1, 2, 3}), 2.0 / 8) << "5 of 6: {2,3}, {1,2,3}";
  EXPECT_DOUBLE_EQ(signed_rank_p(Values{1, 2, -3}), 5.0 / 8);
  EXPECT_DOUBLE_EQ(signed_rank_p(Values{-1, -2, -3}), 1);
  EXPECT_DOUBLE_EQ(signed_rank_p(Values{.1, .2, .3, .4, .5, .6, .7}), 1.0 / 128);
}

// By counting all 2^8 signs.
TEST(SignedRank, AgreesWithCountingWhereSizesAreEqual) {
  const Values values{0.5, -0.5, 0.5, 1, 1, -2, 3, 3};
  const Values ranks{2, -2, 2, 4.5, 4.5, -6, 7.5, 7.5};
  double reached = 0;
  for (const double r : ranks) reached += r > 0 ? r : 0;
  int as_much = 0;
  for (unsigned signs = 0; signs < 256; ++signs) {
    double sum = 0;
    for (unsigned i = 0; i < 8; ++i) sum += (signs >> i & 1U) != 0 ? std::abs(ranks[i]) : 0;
    as_much += sum >= reached - 1e-9 ? 1 : 0;
  }
  EXPECT_DOUBLE_EQ(signed_rank_p(values), as_much / 256.0);
}

TEST(SignedRank, ZerosSayNothing) {
  EXPECT_EQ(signed_rank_p(Values{}), 1);
  EXPECT_EQ(signed_rank_p(Values{0, 0, 0}), 1);
  EXPECT_DOUBLE_EQ(signed_rank_p(Values{0, 1, 0, 2}), 0.25);
  EXPECT_EQ(signed_rank_p(Values{1, std::numeric_limits<double>::quiet_NaN()}), 1);
  EXPECT_EQ(signed_rank_p(Values{1, std::numeric_limits<double>::infinity()}), 1);
}

// The coin alone makes it true, whatever the sizes: here one that lies far out in each.
TEST(SignedRank, HasItsLevelWhateverTheDistribution) {
  base::Rng rng(7);
  int found = 0;
  constexpr int kRuns = 20000;
  for (int run = 0; run < kRuns; ++run) {
    Values values(9);
    for (double& v : values) v = std::exp(3 * rng.normal()) * (rng.uniform() < 0.5 ? -1 : 1);
    found += signed_rank_p(values) <= 0.01 ? 1 : 0;
  }
  EXPECT_LE(found, kRuns / 100);
  EXPECT_GE(found, kRuns / 400);
}

TEST(SignedRank, OfManyTheNormalApproximationGoesOn) {
  base::Rng rng(3);
  Values values;
  for (std::size_t i = 0; i < kMostExactRanks; ++i) values.push_back(rng.normal() + 0.15);
  const double exact = signed_rank_p(values);
  values.push_back(1e-9);  // a rank of one
  EXPECT_NEAR(signed_rank_p(values), exact, 0.1 * exact + 1e-4);
}

TEST(SignedRank, SevenAreTheFewestAtOnePerCent) {
  EXPECT_EQ(fewest_for_signed_rank(0.5), 1);
  EXPECT_EQ(fewest_for_signed_rank(0.05), 5);
  EXPECT_EQ(fewest_for_signed_rank(0.01), 7);
  EXPECT_EQ(fewest_for_signed_rank(0.001), 10);
}

}  // namespace
}  // namespace nightshift::search
