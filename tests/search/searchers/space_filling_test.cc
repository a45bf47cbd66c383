#include "search/searchers/space_filling.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "search/searcher_catalogue.h"
#include "tests/search/landscapes.h"

namespace nightshift::search {
namespace {

// Steps between two points, in the mean over all pairs.
double mean_distance(const ParameterSpace& space, const std::vector<ConfigurationIndex>& points) {
  int sum = 0;
  int pairs = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j, ++pairs) {
      const auto a = space.digits(points[i]);
      const auto b = space.digits(points[j]);
      for (std::size_t k = 0; k < a.size(); ++k) {
        sum += std::abs(static_cast<int>(a[k]) - static_cast<int>(b[k]));
      }
    }
  }
  return static_cast<double>(sum) / pairs;
}

std::vector<ConfigurationIndex> drawn(const ParameterSpace& space, std::size_t count,
                                      std::uint64_t seed) {
  SpaceFilling filling(space);
  Unseen unseen(space.size());
  base::Rng rng(seed);
  std::vector<ConfigurationIndex> points;
  while (points.size() < count) points.push_back(*filling.draw(unseen, rng));
  return points;
}

TEST(SpaceFilling, PointsKeepApart) {
  const ParameterSpace space = grid(4, 10, {Expression::parse("p0 + p1 < 15")});
  double filling = 0;
  double random = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    filling += mean_distance(space, drawn(space, 12, seed));
    random += mean_distance(space, make_searcher("random", space, {.seed = seed})->ask(12));
  }
  EXPECT_GT(filling, random * 1.25) << random;
}

TEST(SpaceFilling, ReachesBothEndsOfEveryParameterSoon) {
  const ParameterSpace space = grid(5, 12);
  std::set<std::pair<std::size_t, std::uint32_t>> ends;
  for (const ConfigurationIndex i : drawn(space, 8, 1)) {
    const auto digits = space.digits(i);
    for (std::size_t k = 0; k < digits.size(); ++k) {
      if (digits[k] <= 1 || digits[k] >= 10) ends.insert({k, digits[k] / 6});
    }
  }
  EXPECT_EQ(ends.size(), 10U);
}

TEST(SpaceFilling, KeepsAwayFromWhatIsAdded) {
  const ParameterSpace space = grid(2, 20);
  int away = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SpaceFilling filling(space);
    Unseen unseen(space.size());
    base::Rng rng(seed);
    filling.add(at(space, {0, 0}));
    const auto digits = space.digits(*filling.draw(unseen, rng));
    away += digits[0] + digits[1] > 19 ? 1 : 0;
  }
  EXPECT_GE(away, 18);
}

TEST(SpaceFilling, DrawsEachOnceUntilNoneIsLeft) {
  const ParameterSpace space = grid(3, 5, {Expression::parse("p0 != p1")});
  SpaceFilling filling(space);
  Unseen unseen(space.size());
  base::Rng rng(1);
  std::set<ConfigurationIndex> points;
  while (const auto next = filling.draw(unseen, rng)) EXPECT_TRUE(points.insert(*next).second);
  EXPECT_EQ(points.size(), 100U);
}

TEST(LowDiscrepancySearcher, IsSpaceFillingAroundWhatItIsTold) {
  const ParameterSpace space = grid(1, 30);
  const auto searcher = make_searcher("low-discrepancy", space, {.seed = 1});
  for (std::uint64_t i = 0; i < 15; ++i) searcher->tell({i}, {});
  EXPECT_GE(searcher->ask(1).front().value, 22U);
}

}  // namespace
}  // namespace nightshift::search
