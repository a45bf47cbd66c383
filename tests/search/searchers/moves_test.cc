#include "search/searchers/moves.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/search/landscapes.h"

namespace nightshift::search {
namespace {

int distance(const Digits& a, const Digits& b) {
  int count = 0;
  for (std::size_t k = 0; k < a.size(); ++k) count += a[k] != b[k] ? 1 : 0;
  return count;
}

ParameterSpace tight() {
  return grid(4, 6, {Expression::parse("(p0 + p1 + p2) % 4 == 0"), Expression::parse("p3 >= p0")});
}

TEST(Moves, ChangeDiffersInAsManyParametersAsAsked) {
  const ParameterSpace space = grid(4, 6);
  const Moves moves(space);
  base::Rng rng(1);
  const Digits from = {0, 5, 2, 3};
  for (std::size_t count = 1; count <= 4; ++count) {
    for (int i = 0; i < 50; ++i) {
      const auto next = moves.change(from, count, rng);
      ASSERT_TRUE(next);
      EXPECT_EQ(distance(space.digits(*next), from), static_cast<int>(count));
    }
  }
}

TEST(Moves, ChangeReachesEveryNeighbourAndPrefersAdjacentValues) {
  const ParameterSpace space = grid(2, 9);
  const Moves moves(space);
  base::Rng rng(1);
  const Digits from = {4, 4};
  std::map<ConfigurationIndex, int> reached;
  for (int i = 0; i < 4000; ++i) ++reached[*moves.change(from, 1, rng)];
  EXPECT_EQ(reached.size(), 16U);
  // An adjacent one: 1/2 * (1/2 * 1/2 + 1/2 * 1/8); one further off: 1/2 * 1/2 * 1/8.
  EXPECT_NEAR(reached[at(space, {5, 4})], 625, 100);
  EXPECT_NEAR(reached[at(space, {8, 4})], 125, 50);
}

TEST(Moves, ValuesWithoutAnOrderHaveNoAdjacentOnes) {
  Parameter text;
  text.name = "layout";
  text.values = {std::string("row"), std::string("column"), std::string("tiled"),
                 std::string("swizzled"), std::string("blocked")};
  Parameter fixed;
  fixed.name = "fixed";
  fixed.values = {std::int64_t{3}};
  const ParameterSpace space({text, fixed}, {});
  const Moves moves(space);
  EXPECT_EQ(moves.free_parameters(), std::vector<std::size_t>{0});
  EXPECT_FALSE(moves.is_ordered(0));
  base::Rng rng(1);
  std::map<std::uint32_t, int> values;
  for (int i = 0; i < 2000; ++i) ++values[moves.another_value(0, 2, rng)];
  EXPECT_EQ(values.size(), 4U);
  for (const auto& [value, count] : values) EXPECT_NEAR(count, 500, 90) << value;
}

TEST(Moves, ChangeFindsNothingWhereNothingIs) {
  const ParameterSpace space = grid(2, 4, {Expression::parse("p0 == p1")});
  const Moves moves(space);
  base::Rng rng(1);
  EXPECT_FALSE(moves.change({1, 1}, 1, rng));
  EXPECT_TRUE(moves.change({1, 1}, 2, rng));
  const ParameterSpace single = grid(1, 1);
  EXPECT_FALSE(Moves(single).change({0}, 1, rng));
}

TEST(Moves, CrossTakesEachValueFromAParent) {
  const ParameterSpace space = grid(6, 4);
  const Moves moves(space);
  base::Rng rng(1);
  const Digits a = {0, 0, 0, 0, 0, 0};
  const Digits b = {3, 3, 3, 3, 3, 3};
  int of_b = 0;
  for (int i = 0; i < 200; ++i) {
    for (const std::uint32_t digit : moves.cross(a, b, rng)) {
      EXPECT_TRUE(digit == 0 || digit == 3);
      of_b += digit == 3 ? 1 : 0;
    }
  }
  EXPECT_NEAR(of_b, 600, 80);
}

TEST(Moves, EverythingEndsOnAValidConfiguration) {
  const ParameterSpace space = tight();
  const Moves moves(space);
  base::Rng rng(2);
  int mixed = 0;
  for (int i = 0; i < 300; ++i) {
    const Digits a = space.digits(space.sample(rng));
    const Digits b = space.digits(space.sample(rng));
    const Digits child = moves.cross(a, b, rng);
    EXPECT_TRUE(moves.is_valid(child));
    mixed += child != a && child != b ? 1 : 0;
    EXPECT_TRUE(moves.is_valid(moves.mutated(a, 1.5, rng)));
    Digits any(4);
    for (std::uint32_t& digit : any) digit = static_cast<std::uint32_t>(rng.below(6));
    EXPECT_TRUE(moves.is_valid(moves.repaired(any, a, rng)));
  }
  EXPECT_GE(mixed, 100);  // repair does not merely return a parent
}

TEST(Moves, RepairedIsTheNearest) {
  const ParameterSpace space = grid(3, 8, {Expression::parse("p0 % 4 == 0")});
  const Moves moves(space);
  base::Rng rng(1);
  const Digits anchor = {0, 0, 0};
  EXPECT_EQ(moves.repaired({4, 3, 2}, anchor, rng), (Digits{4, 3, 2}));
  EXPECT_EQ(moves.repaired({5, 3, 2}, anchor, rng), (Digits{4, 3, 2}));
  EXPECT_EQ(moves.repaired({3, 7, 7}, anchor, rng), (Digits{4, 7, 7}));
}

TEST(Moves, RepairKeepsWhatTheConstraintsLeave) {
  // No single change by two steps mends it; the anchor's first two values do.
  const ParameterSpace hard =
      grid(4, 10, {Expression::parse("(p0 == 0 and p1 == 0) or (p0 == 9 and p1 == 9)")});
  const Moves moves(hard);
  base::Rng rng(1);
  EXPECT_EQ(moves.repaired({5, 4, 7, 6}, {9, 9, 1, 1}, rng), (Digits{9, 9, 7, 6}));
}

TEST(Moves, MutatedChangesAsManyInTheMean) {
  const ParameterSpace space = grid(5, 6);
  const Moves moves(space);
  base::Rng rng(1);
  int changes = 0;
  for (int i = 0; i < 1000; ++i) {
    changes += distance(moves.mutated({1, 2, 3, 4, 5}, 0.5, rng), {1, 2, 3, 4, 5});
  }
  EXPECT_NEAR(changes, 500, 80);
}

}  // namespace
}  // namespace nightshift::search
