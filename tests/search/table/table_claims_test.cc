#include "search/table/table_claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace nightshift::search {
namespace {

using ::testing::HasSubstr;

std::vector<double> pairs(double effect, double noise, std::size_t n, std::uint64_t seed) {
  base::Rng rng(seed);
  std::vector<double> effects;
  for (std::size_t i = 0; i < n; ++i) effects.push_back(effect + noise * rng.normal());
  return effects;
}

TEST(TableClaims, LevelsAreThoseOfHolmInTurn) {
  EXPECT_NEAR(level_in_turn(0.01, 10, 0), 0.001, 1e-15);
  EXPECT_NEAR(level_in_turn(0.01, 10, 9), 0.01, 1e-15);
  EXPECT_NEAR(level_in_turn(0.01, 0, 0), 0.01, 1e-15);
}

TEST(TableClaims, ShapesWithTheDefaultCountWithNoEffect) {
  const std::vector<HoldOutShape> shapes{{1, pairs(0.2, 0.01, 8, 1)}, {3, {}}};
  const TableClaim claim = judge_table(shapes, 0.01, false);
  EXPECT_TRUE(claim.accepted);
  EXPECT_NEAR(claim.ratio, std::exp(-0.05), 0.005);
  EXPECT_LT(claim.interval.low, claim.ratio);
  EXPECT_GT(claim.interval.high, claim.ratio);
  EXPECT_EQ(claim.shapes, 1U);
  EXPECT_EQ(claim.pairs, 8U);
}

TEST(TableClaims, ARateIsToldByHowMuchItRises) {
  const std::vector<HoldOutShape> shapes{{1, pairs(std::log(1.25), 1e-6, 8, 1)}};
  EXPECT_THAT(judge_table(shapes, 0.01, true).reason, HasSubstr("25 % better"));
  EXPECT_THAT(judge_table(shapes, 0.01, false).reason, HasSubstr("20 % better"));
}

TEST(TableClaims, ALossOnOneShapeCounts) {
  const std::vector<HoldOutShape> shapes{{1, pairs(0.05, 0.01, 8, 1)},
                                         {1, pairs(-0.2, 0.01, 8, 2)}};
  const TableClaim claim = judge_table(shapes, 0.01, false);
  EXPECT_FALSE(claim.accepted);
  EXPECT_GT(claim.ratio, 1);
}

TEST(TableClaims, OfNothingItErrsAtItsLevel) {
  int accepted = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    std::vector<HoldOutShape> shapes;
    for (std::uint64_t s = 0; s < 5; ++s)
      shapes.push_back({1 + static_cast<double>(s), pairs(0, 0.03, 8, seed * 16 + s)});
    accepted += judge_table(shapes, 0.05, false).accepted ? 1 : 0;
  }
  EXPECT_NEAR(accepted / 2000.0, 0.05, 0.015);
}

TEST(TableClaims, FewPairsAndBrokenOnesSayNothing) {
  EXPECT_THAT(judge_table({}, 0.01, false).reason, HasSubstr("keeps the default"));
  const std::vector<HoldOutShape> few{{1, {0.2, 0.2}}};
  EXPECT_FALSE(judge_table(few, 0.01, false).accepted);
  std::vector<double> broken = pairs(0.2, 0.01, 8, 1);
  broken[3] = std::nan("");
  const std::vector<HoldOutShape> with_one{{1, broken}};
  EXPECT_THAT(judge_table(with_one, 0.01, false).reason, HasSubstr("too few"));
}

}  // namespace
}  // namespace nightshift::search
