#include "search/statistics/hypervolume.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "base/rng.h"
#include "tests/search/exact_points.h"

namespace nightshift::search {
namespace {

TEST(Hypervolume, OfStairs) {
  const std::vector<double> reference = {4, 4};
  EXPECT_DOUBLE_EQ(hypervolume(exact_points({{1, 3}, {2, 2}, {3, 1}}), reference), 3 + 2 + 1);
  EXPECT_DOUBLE_EQ(hypervolume(exact_points({{1, 3}, {2, 2}, {3, 1}, {3, 3}, {5, 0}}), reference),
                   6);
  EXPECT_DOUBLE_EQ(hypervolume({}, reference), 0);
  EXPECT_DOUBLE_EQ(hypervolume(exact_points({{0.25}, {0.5}}), std::vector<double>{1}), 0.75);
}

TEST(Hypervolume, OfBoxes) {
  const std::vector<double> reference = {2, 2, 2};
  EXPECT_DOUBLE_EQ(hypervolume(exact_points({{0, 0, 0}}), reference), 8);
  // Two boxes of 1 x 2 x 2 and 2 x 1 x 1 that share 1 x 1 x 1.
  EXPECT_DOUBLE_EQ(hypervolume(exact_points({{1, 0, 0}, {0, 1, 1}}), reference), 4 + 2 - 1);
  const std::vector<double> four = {1, 1, 1, 1};
  EXPECT_THROW(hypervolume({}, four), std::invalid_argument);
}

TEST(Hypervolume, AgreesWithCounting) {
  base::Rng rng(4);
  std::vector<ObjectivePoint> points;
  for (int i = 0; i < 12; ++i)
    points.push_back(exact({rng.uniform(), rng.uniform(), rng.uniform()}));
  int hits = 0;
  constexpr int kDarts = 40'000;
  for (int i = 0; i < kDarts; ++i) {
    const ObjectivePoint dart = exact({rng.uniform(), rng.uniform(), rng.uniform()});
    const auto below = [&](const ObjectivePoint& p) { return dominates(p, dart, 0); };
    hits += std::ranges::any_of(points, below) ? 1 : 0;
  }
  EXPECT_NEAR(hypervolume(points, std::vector<double>{1, 1, 1}), static_cast<double>(hits) / kDarts,
              0.01);
}

}  // namespace
}  // namespace nightshift::search
