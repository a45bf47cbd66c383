#include "search/importance/tree_variance.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nightshift::search {
namespace {

Parameter numbers(const std::string& name, std::int64_t count) {
  Parameter parameter;
  parameter.name = name;
  for (std::int64_t v = 0; v < count; ++v) parameter.values.emplace_back(v);
  return parameter;
}

Parameter texts(const std::string& name, const std::vector<std::string>& values) {
  Parameter parameter;
  parameter.name = name;
  parameter.type = ParameterType::kString;
  for (const std::string& value : values) parameter.values.emplace_back(value);
  return parameter;
}

// A tree that knows `f` at every combination of three parameters exactly.
template <class F>
TreeVariance exact(const std::vector<Parameter>& parameters,
                   const std::vector<ParameterPair>& pairs, const F& f) {
  const ParameterLevels levels(parameters);
  std::vector<double> rows, targets;
  for (std::uint32_t a = 0; a < parameters[0].values.size(); ++a) {
    for (std::uint32_t b = 0; b < parameters[1].values.size(); ++b) {
      for (std::uint32_t c = 0; c < parameters[2].values.size(); ++c) {
        levels.append(std::vector<std::uint32_t>{a, b, c}, rows);
        targets.push_back(f(a, b, c));
      }
    }
  }
  ForestSettings settings;
  settings.trees = 1;
  settings.bootstrap = false;
  return tree_variance(Forest::fit(settings, {rows, levels.columns()}, targets, {}, 1), levels,
                       pairs);
}

TEST(TreeVariance, OfASumIsThatOfItsTerms) {
  const TreeVariance told = exact(
      {numbers("A", 3), numbers("B", 4), texts("C", {"x", "y", "z"})}, {{0, 1}, {0, 2}, {1, 2}},
      [](double a, double b, double c) { return 2 * a + b + (c == 1 ? 6 : 0); });
  EXPECT_NEAR(told.mean, 2 + 1.5 + 2, 1e-9);
  EXPECT_NEAR(told.mains[0], 4 * 2.0 / 3, 1e-9);  // of 0, 2, 4
  EXPECT_NEAR(told.mains[1], 1.25, 1e-9);         // of 0 to 3
  EXPECT_NEAR(told.mains[2], 8, 1e-9);            // of 0, 6, 0
  for (const double pair : told.pairs) EXPECT_NEAR(pair, 0, 1e-9);
  EXPECT_NEAR(told.variance, 4 * 2.0 / 3 + 1.25 + 8, 1e-9);
  EXPECT_NEAR(told.means[0][2] - told.means[0][0], 4, 1e-9);
  EXPECT_NEAR(told.means[2][1] - told.means[2][0], 6, 1e-9);
}

TEST(TreeVariance, OfWhatTwoDoTogetherIsThePairs) {
  const TreeVariance told =
      exact({numbers("A", 2), numbers("B", 2), numbers("C", 2)}, {{0, 1}, {0, 2}, {1, 2}},
            [](double a, double b, double) { return a == b ? 1.0 : 3.0; });
  for (const double main : told.mains) EXPECT_NEAR(main, 0, 1e-9);
  EXPECT_NEAR(told.pairs[0], 1, 1e-9);
  EXPECT_NEAR(told.pairs[1], 0, 1e-9);
  EXPECT_NEAR(told.pairs[2], 0, 1e-9);
  EXPECT_NEAR(told.variance, 1, 1e-9);
}

TEST(TreeVariance, OfWhatThreeDoTogetherIsInNoPair) {
  const TreeVariance told =
      exact({numbers("A", 2), numbers("B", 2), numbers("C", 2)}, {{0, 1}, {0, 2}, {1, 2}},
            [](int a, int b, int c) { return (a + b + c) % 2; });
  for (const double main : told.mains) EXPECT_NEAR(main, 0, 1e-9);
  for (const double pair : told.pairs) EXPECT_NEAR(pair, 0, 1e-9);
  EXPECT_NEAR(told.variance, 0.25, 1e-9);
}

TEST(TreeVariance, OfAConstantIsNone) {
  const TreeVariance told = exact({numbers("A", 3), numbers("B", 1), numbers("C", 2)}, {{0, 2}},
                                  [](int, int, int) { return 5; });
  EXPECT_EQ(told.mean, 5);
  EXPECT_EQ(told.variance, 0);
}

TEST(ParameterLevels, KeepTheOrderOfNumbersAndBinManyValues) {
  Parameter shuffled = numbers("A", 0);
  for (const std::int64_t v : {8, 1, 4, 2}) shuffled.values.emplace_back(v);
  const ParameterLevels levels({shuffled, numbers("B", 100), texts("C", {"x", "y", "z"})});
  EXPECT_EQ(levels.count(0), 4U);
  EXPECT_EQ(levels.level(0, 0), 3U);
  EXPECT_EQ(levels.level(0, 1), 0U);
  EXPECT_EQ(levels.ends(0, 3).first, 0U);
  ASSERT_EQ(levels.count(1), ParameterLevels::kMost);
  double weights = 0;
  for (std::size_t level = 0; level < levels.count(1); ++level) weights += levels.weight(1, level);
  EXPECT_NEAR(weights, 1, 1e-12);
  EXPECT_EQ(levels.ends(1, 0).first, 0U);
  EXPECT_EQ(levels.ends(1, ParameterLevels::kMost - 1).last, 99U);
  EXPECT_EQ(levels.columns(), 1U + 1 + 3);
  std::vector<double> row;
  levels.append(std::vector<std::uint32_t>{2, 99, 1}, row);
  EXPECT_EQ(row, (std::vector<double>{2, ParameterLevels::kMost - 1.0, 0, 1, 0}));
}

}  // namespace
}  // namespace nightshift::search
