#include "search/statistics/multiplicity.h"

#include "search/rng.h"
#include "search/statistics/distributions.h"
#include "search/statistics/e_process.h"
#include "tests/search/statistics/fixtures.h"

namespace nightshift::search {
namespace {

const Values kP = fixture("combine_p_values")["p"];

TEST(Multiplicity, AgreesWithTheReference) {
  const auto& expect = fixture("combine_p_values")["expect"];
  expect_close({fisher(kP).statistic, fisher(kP).p}, expect["fisher"], "fisher");
  const CombinedP plain = stouffer(kP), weighted = stouffer(kP, Values{1, 2, 1, 2});
  expect_close({plain.statistic, plain.p}, expect["stouffer"], "stouffer");
  expect_close({weighted.statistic, weighted.p}, expect["stouffer_weights_1_2_1_2"], "weights");
  EXPECT_EQ(intersection_union(kP), expect["intersection_union_p"]);
  expect_close(holm(kP), expect["holm_adjusted"], "holm");
  expect_close(benjamini_hochberg(kP), expect["bh_adjusted"], "bh");
  const auto& spending = fixture("combine_p_values")["online_alpha_spending_0p05"];
  const std::size_t places[] = {1, 2, 3, 10, 30};
  for (std::size_t i = 0; i < 5; ++i) {
    expect_close(online_level(0.05, places[i]), spending[i], "spending");
  }
}

TEST(Multiplicity, OfNothingShowsNothing) {
  EXPECT_EQ(fisher({}).p, 1);
  EXPECT_EQ(stouffer({}).p, 1);
  EXPECT_EQ(intersection_union({}), 1);
  EXPECT_TRUE(holm({}).empty());
  EXPECT_TRUE(benjamini_hochberg({}).empty());
  EXPECT_EQ(online_level(0.05, 0), 0);
}

TEST(Multiplicity, OfOneIsThatOne) {
  const Values one = {0.03};
  EXPECT_NEAR(fisher(one).p, 0.03, 1e-14);
  EXPECT_NEAR(stouffer(one).p, 0.03, 1e-14);
  EXPECT_EQ(holm(one), one);
  EXPECT_EQ(benjamini_hochberg(one), one);
}

TEST(Multiplicity, WhatIsNoPIsNoEvidence) {
  for (const double bad : {kNaN, -0.1, 1.5, kInfinity}) {
    const Values p = {0.01, bad}, one = {0.01, 1};
    EXPECT_EQ(fisher(p).p, fisher(one).p);
    EXPECT_EQ(stouffer(p).p, stouffer(one).p);
    EXPECT_EQ(intersection_union(p), 1);
    EXPECT_EQ(holm(p), holm(one));
    EXPECT_EQ(benjamini_hochberg(p), benjamini_hochberg(one));
  }
}

TEST(Multiplicity, AtItsEnds) {
  EXPECT_EQ(fisher(Values{0, 0.5}).p, 0);
  EXPECT_EQ(fisher(Values{1, 1}).p, 1);
  EXPECT_EQ(stouffer(Values{0, 0.5}).p, 0);
  EXPECT_EQ(stouffer(Values{0, 1}).p, 1);
  EXPECT_EQ(holm(Values{0.6, 0.7}), (Values{1, 1}));
  EXPECT_EQ(benjamini_hochberg(Values{0.04, 0.04}), (Values{0.04, 0.04}));
  for (const Values& weights :
       {Values{1}, Values{1, -1}, Values{0, 0}, Values{1, kNaN}, Values{1, kInfinity}}) {
    EXPECT_EQ(stouffer(Values{0.01, 0.01}, weights).p, 1);
  }
  EXPECT_NEAR(stouffer(Values{0.01, 0.9}, Values{1, 0}).p, 0.01, 1e-14);
}

TEST(OnlineLevel, SpendsAlphaInAll) {
  double sum = 0;
  for (std::size_t j = 1; j <= 1'000'000; ++j) sum += online_level(0.05, j);
  EXPECT_NEAR(sum, 0.05, 0.05 * 6e-7 * 1.02);  // what is left is 6/(pi^2 10^6)
  EXPECT_LT(sum, 0.05);
}

TEST(ELond, LowersItsThresholdWithEachAccept) {
  ELond lond(0.05);
  EXPECT_DOUBLE_EQ(lond.log_threshold(), -std::log(0.05 * 6 / std::acos(-1.0) / std::acos(-1.0)));
  EXPECT_TRUE(lond.add(lond.log_threshold()));
  EXPECT_DOUBLE_EQ(lond.log_threshold(), -std::log(2 * online_level(0.05, 2)));
  EXPECT_FALSE(lond.add(std::nextafter(lond.log_threshold(), 0)));
  EXPECT_DOUBLE_EQ(lond.log_threshold(), -std::log(2 * online_level(0.05, 3)));
  EXPECT_FALSE(lond.add(kNaN));
  EXPECT_FALSE(lond.add(-kInfinity));
  EXPECT_TRUE(lond.add(kInfinity));
  EXPECT_EQ(lond.seen(), 5U);
  EXPECT_EQ(lond.accepted(), 2U);
}

// 40 hypotheses, every third an effect, E of 24 pairs each.
TEST(ELond, KeepsTheShareOfFalseAccepts) {
  Rng rng(12);
  constexpr int kRuns = 300;
  double share = 0;
  int found = 0;
  for (int run = 0; run < kRuns; ++run) {
    ELond lond(0.2);
    int accepts = 0, wrong = 0;
    for (int j = 0; j < 40; ++j) {
      const double effect = j % 3 == 0 ? 0.02 : 0;
      TanhEProcess process;
      for (int i = 0; i < 24; ++i) process.add(effect + 0.01 * rng.normal());
      if (!lond.add(process.log_e())) continue;
      ++accepts;
      wrong += effect == 0 ? 1 : 0;
    }
    share += accepts > 0 ? static_cast<double>(wrong) / accepts : 0;
    found += accepts - wrong;
  }
  EXPECT_LT(share / kRuns, 0.2);
  EXPECT_GT(found, kRuns * 14 * 0.8);
}

}  // namespace
}  // namespace nightshift::search
