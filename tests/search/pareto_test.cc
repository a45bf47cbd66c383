#include "search/pareto.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "tests/search/exact_points.h"

namespace nightshift::search {
namespace {

using Positions = std::vector<std::size_t>;

TEST(Dominates, IsParetoDominanceWithoutNoise) {
  EXPECT_TRUE(dominates(exact({1, 1}), exact({1, 2}), 0));
  EXPECT_TRUE(dominates(exact({0, 1}), exact({1, 2}), 0));
  EXPECT_FALSE(dominates(exact({1, 1}), exact({1, 1}), 0));
  EXPECT_FALSE(dominates(exact({0, 3}), exact({1, 2}), 0));
}

TEST(EqualValues, AreAlikeInEverythingWhateverTheirNoise) {
  EXPECT_TRUE(equal_values({{1, 0.1}, {2, 0}}, exact({1, 2})));
  EXPECT_FALSE(equal_values(exact({1, 2}), exact({1, 2.5})));
}

TEST(Dominates, OnlyBeyondTheNoise) {
  const ObjectivePoint a = {{1.00, 0.03}, {1.0, 0.0}};
  const ObjectivePoint b = {{1.06, 0.04}, {1.0, 0.0}};  // 0.05 combined: 1.2 of it apart
  EXPECT_TRUE(dominates(a, b, 1));
  EXPECT_FALSE(dominates(a, b, 2));
  EXPECT_FALSE(dominates(b, a, 0));
}

TEST(ParetoFront, KeepsWhatNoiseAloneSeparates) {
  std::vector<ObjectivePoint> points = exact_points({{1, 3}, {2, 2}, {3, 1}, {3, 3}, {2, 2.1}});
  EXPECT_EQ(pareto_front(points, 1), (Positions{0, 1, 2}));
  for (ObjectivePoint& p : points) p[1].standard_error = 0.2;
  EXPECT_EQ(pareto_front(points, 1), (Positions{0, 1, 2, 4}));
  EXPECT_TRUE(pareto_front({}, 1).empty());
}

TEST(NonDominatedFronts, PeelLayerByLayer) {
  const auto points = exact_points({{3, 3}, {1, 4}, {4, 1}, {2, 2}, {5, 5}, {4, 4}, {2, 2}});
  const auto fronts = non_dominated_fronts(points, 0);
  ASSERT_EQ(fronts.size(), 4U);
  EXPECT_EQ(fronts[0], (Positions{1, 2, 3, 6}));
  EXPECT_EQ(fronts[1], (Positions{0}));
  EXPECT_EQ(fronts[2], (Positions{5}));
  EXPECT_EQ(fronts[3], (Positions{4}));
}

TEST(NonDominatedFronts, HoldEveryPointOnceWhateverTheNoise) {
  base::Rng rng(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<ObjectivePoint> points;
    for (int i = 0; i < 30; ++i) {
      ObjectivePoint point;
      for (int k = 0; k < 3; ++k) point.push_back({rng.uniform(), 0.2 * rng.uniform()});
      points.push_back(point);
    }
    const auto fronts = non_dominated_fronts(points, 1);
    std::size_t count = 0;
    for (const auto& front : fronts) count += front.size();
    EXPECT_EQ(count, points.size());
    EXPECT_EQ(fronts.front(), pareto_front(points, 1));
  }
}

TEST(CrowdingDistance, OfTheLine) {
  const auto points = exact_points({{9, 9}, {0, 10}, {1, 6}, {4, 2}, {10, 0}});
  const Positions front = {3, 1, 4, 2};
  const std::vector<double> distance = crowding_distance(points, front);
  EXPECT_DOUBLE_EQ(distance[0], 0.9 + 0.6);  // (4, 2) between (1, 6) and (10, 0)
  EXPECT_TRUE(std::isinf(distance[1]));
  EXPECT_TRUE(std::isinf(distance[2]));
  EXPECT_DOUBLE_EQ(distance[3], 0.4 + 0.8);
  EXPECT_TRUE(crowding_distance(points, {}).empty());
  const auto equal = exact_points({{1, 1}, {1, 1}, {1, 1}});
  EXPECT_DOUBLE_EQ(crowding_distance(equal, Positions{0, 1, 2})[1], 0);
}

}  // namespace
}  // namespace nightshift::search
