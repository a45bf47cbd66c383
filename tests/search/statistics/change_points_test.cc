#include "search/statistics/change_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"

namespace nightshift::search {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<double> series(const std::vector<std::pair<int, double>>& levels, double sd,
                           std::uint64_t seed) {
  base::Rng rng(seed);
  std::vector<double> values;
  for (const auto& [count, level] : levels) {
    for (int i = 0; i < count; ++i) values.push_back(level + sd * rng.normal());
  }
  return values;
}

TEST(ChangePoints, FindsAStep) {
  const auto found = change_points(series({{12, 1.00}, {9, 1.05}}, 0.005, 1));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].first, 12U);
  EXPECT_NEAR(found[0].before, 1.00, 0.01);
  EXPECT_NEAR(found[0].after, 1.05, 0.01);
  EXPECT_DOUBLE_EQ(found[0].p_value, 1.0 / 500);
}

TEST(ChangePoints, FindsSeveralInTheirOrder) {
  const auto found = change_points(series({{10, 1.0}, {10, 1.1}, {10, 0.9}}, 0.01, 2));
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].first, 10U);
  EXPECT_EQ(found[1].first, 20U);
  EXPECT_NEAR(found[1].before, 1.1, 0.02);
  EXPECT_NEAR(found[1].after, 0.9, 0.02);
}

TEST(ChangePoints, AChangeOfSpreadIsOneToo) {
  auto values = series({{40, 1.0}}, 0.001, 3);
  const auto wide = series({{40, 1.0}}, 0.1, 4);
  values.insert(values.end(), wide.begin(), wide.end());
  const auto found = change_points(values);
  ASSERT_THAT(found, ::testing::Not(IsEmpty()));
  EXPECT_NEAR(static_cast<double>(found[0].first), 40, 8);
}

TEST(ChangePoints, OneOutlierIsNone) {
  auto values = series({{20, 1.0}}, 0.01, 5);
  values[9] = 2;
  EXPECT_THAT(change_points(values), IsEmpty());
}

TEST(ChangePoints, EqualAndFewValuesHaveNone) {
  EXPECT_THAT(change_points({}), IsEmpty());
  EXPECT_THAT(change_points({1}), IsEmpty());
  EXPECT_THAT(change_points({1, 1, 1, 2, 2}), IsEmpty());
  EXPECT_THAT(change_points(std::vector<double>(30, 1.5)), IsEmpty());
  // Of six values no division is rarer than one in ten.
  EXPECT_THAT(change_points({1, 1.01, 1.02, 2, 2.01, 2.02}), IsEmpty());
  EXPECT_THAT(change_points({1, 1.01, 1.02, 1.03, 2, 2.01, 2.02, 2.03}), SizeIs(1));
}

TEST(ChangePoints, OfALongSeriesTheEndIsLookedAt) {
  const auto values = series({{50, 2.0}, {30, 1.0}, {30, 1.2}}, 0.01, 6);
  ChangeSearch search;
  search.longest = 60;
  const auto found = change_points(values, search);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].first, 80U);
}

TEST(ChangePoints, TheSameSeedSaysTheSame) {
  const auto values = series({{8, 1.0}, {8, 1.01}}, 0.01, 7);
  const auto one = change_points(values), two = change_points(values);
  ASSERT_EQ(one.size(), two.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].p_value, two[i].p_value);
}

// With the level as the rate: 300 series of which about 15 give an alarm; 30 has a chance of 1 in
// 5,000.
TEST(ChangePoints, FalseAlarmsAreAsRareAsTheLevel) {
  ChangeSearch search;
  search.permutations = 99;
  int alarms = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    search.seed = seed;
    alarms += change_points(series({{15, 1.0}}, 0.01, 1000 + seed), search).empty() ? 0 : 1;
  }
  EXPECT_LT(alarms, 30);
  EXPECT_GT(alarms, 2);
}

}  // namespace
}  // namespace nightshift::search
