#include "search/model/forest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/portable_math.h"
#include "base/rng.h"

namespace nightshift::search {
namespace {

using Values = std::vector<double>;

ForestSettings one_tree(SplitCriterion criterion) {
  return {.criterion = criterion, .trees = 1, .bootstrap = false};
}

TEST(PortableMath, AgreesWithTheLibrary) {
  base::Rng rng(1);
  for (int i = 0; i < 100'000; ++i) {
    const double x = std::ldexp(0.5 + rng.uniform(), static_cast<int>(rng.below(200)) - 100);
    EXPECT_NEAR(base::portable_log(x), std::log(x), 5e-16 * (1 + std::abs(std::log(x))));
    const double y = 100 * (rng.uniform() - 0.5);
    EXPECT_NEAR(base::portable_exp(y), std::exp(y), 1e-15 * std::exp(y));
  }
  EXPECT_EQ(base::portable_log(1), 0);
  EXPECT_EQ(base::portable_exp(0), 1);
  EXPECT_EQ(base::portable_exp(-1000), 0);
}

TEST(Forest, WithoutRowsOrWeightPredictsNothing) {
  const Forest none = Forest::fit({}, {{}, 2}, {}, {}, 1);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.predict(Values{1, 2}), 0);
  const Forest weightless = Forest::fit({}, {Values{1, 2}, 1}, Values{5, 6}, Values{0, 0}, 1);
  EXPECT_TRUE(weightless.empty());
}

TEST(Forest, SplitsHalfwayBetweenTheValuesPresent) {
  const Values x = {1, 2, 8, 16};
  for (const auto criterion : {SplitCriterion::kSquaredError, SplitCriterion::kEntropy}) {
    const Forest tree = Forest::fit(one_tree(criterion), {x, 1}, Values{0, 0, 1, 1}, {}, 1);
    EXPECT_EQ(tree.nodes(), 3U);
    EXPECT_EQ(tree.predict(Values{5}), 0);  // the threshold itself goes left
    EXPECT_EQ(tree.predict(Values{5.001}), 1);
    EXPECT_EQ(tree.predict(Values{-1e300}), 0);
    EXPECT_EQ(tree.predict(Values{1e300}), 1);
  }
}

TEST(Forest, TakesTheColumnThatLowersTheErrorMost) {
  // Column 1 parts {1, 2, 3} from {11, 12, 13}; column 0 only {1} from the rest.
  const Values x = {0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1};
  const Values y = {1, 2, 3, 11, 12, 13};
  const Forest tree =
      Forest::fit({.trees = 1, .max_depth = 1, .bootstrap = false}, {x, 2}, y, {}, 1);
  EXPECT_EQ(tree.path(0, Values{0, 0}), std::vector<std::uint32_t>{1});
  EXPECT_EQ(tree.predict(Values{0, 0}), 2);
  EXPECT_EQ(tree.predict(Values{0, 1}), 12);
  EXPECT_EQ(tree.importance(), (Values{0, 1}));
}

TEST(Forest, PathNamesTheColumnsFromTheRoot) {
  const Values x = {0, 0, 0, 1, 1, 0, 1, 1};
  const Values y = {0, 1, 10, 13};
  const Forest tree = Forest::fit(one_tree(SplitCriterion::kSquaredError), {x, 2}, y, {}, 1);
  EXPECT_EQ(tree.path(0, Values{1, 1}), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(tree.predict(Values{1, 1}), 13);
  EXPECT_EQ(tree.predict(Values{0, 1}), 1);
}

TEST(Forest, WeightsCountLikeRepeatedRows) {
  const Values x = {1, 1, 1, 2, 2};
  const Forest repeated =
      Forest::fit(one_tree(SplitCriterion::kEntropy), {x, 1}, Values{0, 0, 1, 1, 0}, {}, 1);
  const Forest weighted =
      Forest::fit(one_tree(SplitCriterion::kEntropy), {Values{1, 1, 2, 2, 7}, 1},
                  Values{0, 1, 1, 0, 1}, Values{2, 1, 1, 1, 0}, 1);
  EXPECT_DOUBLE_EQ(repeated.predict(Values{1}), 1.0 / 3);
  EXPECT_DOUBLE_EQ(weighted.predict(Values{1}), 1.0 / 3);
  EXPECT_DOUBLE_EQ(weighted.predict(Values{2}), 0.5);
  EXPECT_DOUBLE_EQ(weighted.predict(Values{7}), 0.5);  // the row without weight made no leaf
}

TEST(Forest, WeightsMoveTheSplit) {
  const Values x = {1, 2, 3, 4};
  const Values y = {0, 1, 0, 1};
  const ForestSettings stump = {.trees = 1, .max_depth = 1, .bootstrap = false};
  const Forest low = Forest::fit(stump, {x, 1}, y, Values{9, 9, 1, 1}, 1);
  EXPECT_EQ(low.predict(Values{1.4}), 0);
  EXPECT_GT(low.predict(Values{1.6}), 0.8);
  const Forest high = Forest::fit(stump, {x, 1}, y, Values{1, 1, 9, 9}, 1);
  EXPECT_LT(high.predict(Values{3.4}), 0.2);
  EXPECT_EQ(high.predict(Values{3.6}), 1);
}

TEST(Forest, RegressionIsExactFarFromZero) {
  const Values x = {1, 2, 3, 4};
  const Values y = {1e9, 1e9 + 1e-3, 1e9 + 2e-3, 1e9 + 10};
  const ForestSettings stump = {.trees = 1, .max_depth = 1, .bootstrap = false};
  const Forest tree = Forest::fit(stump, {x, 1}, y, {}, 1);
  EXPECT_EQ(tree.predict(Values{4}), 1e9 + 10);
  EXPECT_NEAR(tree.predict(Values{3}), 1e9 + 1e-3, 1e-6);
}

TEST(Forest, KeepsToItsLimits) {
  base::Rng rng(5);
  Values x(200), y(200);
  for (double& value : x) value = rng.uniform();
  for (double& value : y) value = rng.uniform();
  const auto nodes = [&](ForestSettings settings) {
    settings.trees = 1;
    settings.bootstrap = false;
    return Forest::fit(settings, {x, 1}, y, {}, 1).nodes();
  };
  EXPECT_EQ(nodes({}), 399U);  // 200 leaves, one a row
  EXPECT_EQ(nodes({.max_depth = 3}), 15U);
  EXPECT_LE(nodes({.min_leaf = 10}), 39U);
  EXPECT_GT(nodes({.min_leaf = 10}), 15U);
  EXPECT_EQ(nodes({.min_to_split = 200}), 3U);
  EXPECT_EQ(nodes({.min_to_split = 201}), 1U);
  EXPECT_EQ(nodes({.min_leaf = 101}), 1U);
}

TEST(Forest, LooksOnUntilAColumnVaries) {
  // One column a node is looked at, and only the last of thirty varies.
  Values x(30 * 4, 1.0);
  for (std::size_t row = 0; row < 4; ++row) x[row * 30 + 29] = static_cast<double>(row);
  const Forest forest = Forest::fit({.trees = 5, .max_features = 1, .bootstrap = false}, {x, 30},
                                    Values{4, 3, 2, 1}, {}, 1);
  EXPECT_EQ(forest.nodes(), 5U * 7U);
}

TEST(Forest, EachTreeDrawsItsColumns) {
  // Two columns that say the same: with one looked at in a node, both are used about equally.
  Values x, y;
  for (int i = 0; i < 40; ++i) {
    x.insert(x.end(), {double(i % 8), double(i % 8)});
    y.push_back(i % 8 >= 4 ? 1 : 0);
  }
  const Forest forest = Forest::fit({.trees = 400, .max_features = 1}, {x, 2}, y, {}, 1);
  EXPECT_NEAR(forest.importance()[0], 0.5, 0.1);
  const auto first = forest.path(0, Values{0, 0});
  bool differs = false;
  for (std::size_t tree = 1; tree < 20; ++tree) {
    differs = differs || forest.path(tree, Values{0, 0}) != first;
  }
  EXPECT_TRUE(differs);
}

TEST(Forest, BootstrapLeavesOutAThirdOfTheRows) {
  // A tree that saw a row predicts it exactly; one that did not, almost never.
  Values x, y;
  for (int i = 0; i < 200; ++i) {
    x.push_back(i);
    y.push_back((i * 73) % 211);
  }
  const Forest forest = Forest::fit({.trees = 50}, {x, 1}, y, {}, 3);
  int seen = 0;
  for (std::size_t tree = 0; tree < 50; ++tree) {
    for (std::size_t i = 0; i < 200; ++i) {
      seen += forest.predict_tree(tree, Values{x[i]}) == y[i] ? 1 : 0;
    }
  }
  EXPECT_NEAR(seen / 10'000.0, 1 - std::exp(-1), 0.02);
}

// A function of six of ten columns with eight values each, with interactions and noise.
struct Example {
  Values x, y;
};
constexpr std::size_t kColumns = 10;
Example example(std::size_t rows, std::uint64_t seed) {
  base::Rng rng(seed);
  Example e;
  for (std::size_t row = 0; row < rows; ++row) {
    double z[kColumns];
    for (double& coordinate : z) {
      const auto digit = static_cast<double>(rng.below(8));
      e.x.push_back(digit);
      coordinate = digit / 7;
    }
    const double bend = (z[2] - 0.5) * (z[2] - 0.5);
    const double wave = z[0] * (1 - z[0]) * (z[0] - 0.4) * 10;
    e.y.push_back(wave * z[1] + 4 * bend + z[3] * z[4] + 0.5 * z[5] + 0.1 * rng.normal());
  }
  return e;
}

double mean_square(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum / static_cast<double>(a.size());
}

// Probability that a row of class 1 is ranked above one of class 0.
double area_under_curve(const Values& scores, const Values& classes) {
  double above = 0, pairs = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (classes[i] != 1 || classes[j] != 0) continue;
      above += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
      ++pairs;
    }
  }
  return above / pairs;
}

struct Quality {
  double mean_square = 0, area = 0;
};
Quality classified(SplitCriterion criterion, std::uint64_t seed) {
  const Example train = example(600, 1);
  const Example test = example(1500, 2);
  Values sorted = train.y;
  std::ranges::sort(sorted);
  const double good = sorted[90];
  Values labels, weights, truth, scores(1500);
  for (const double y : train.y) {
    labels.push_back(y <= good ? 1 : 0);
    weights.push_back(y <= good ? 0.5 + 4 * (good - y) : 1);
  }
  for (const double y : test.y) truth.push_back(y <= good ? 1 : 0);
  const Forest forest = Forest::fit({.criterion = criterion, .max_features = 3},
                                    {train.x, kColumns}, labels, weights, seed);
  forest.predict({test.x, kColumns}, scores);
  return {mean_square(scores, truth), area_under_curve(scores, truth)};
}

// The bounds: scikit-learn 1.6.1 on the same rows, 20 seeds: mean plus and minus five deviations.
TEST(Forest, ClassifiesAsWellAsScikitLearn) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Quality entropy = classified(SplitCriterion::kEntropy, seed);
    EXPECT_NEAR(entropy.mean_square, 0.0822, 0.0065);
    EXPECT_NEAR(entropy.area, 0.9420, 0.0158);
    const Quality gini = classified(SplitCriterion::kSquaredError, seed);
    EXPECT_NEAR(gini.mean_square, 0.0870, 0.0068);
    EXPECT_NEAR(gini.area, 0.9336, 0.0215);
    EXPECT_LT(entropy.mean_square, gini.mean_square);
  }
}

TEST(Forest, RegressesAsWellAsScikitLearn) {
  const Example train = example(600, 1);
  const Example test = example(1500, 2);
  const ForestSettings settings = {.trees = 50, .max_depth = 15, .min_to_split = 5, .min_leaf = 2};
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Forest forest = Forest::fit(settings, {train.x, kColumns}, train.y, {}, seed);
    Values means(1500), variances(1500);
    forest.predict({test.x, kColumns}, means, variances);
    EXPECT_NEAR(mean_square(means, test.y), 0.0491, 0.0055);  // the variance of y is 0.272
    // The first six columns matter, the last four do not.
    const auto& importance = forest.importance();
    EXPECT_LT(importance[6] + importance[7] + importance[8] + importance[9], 0.15);
    EXPECT_GT(importance[2], 0.3);
  }
}

TEST(Forest, ManyPointsAtOnceAreTheSameAsOneByOne) {
  const Example train = example(300, 1);
  const Example test = example(37, 2);  // no multiple of any number of lanes
  const Forest forest = Forest::fit({.trees = 20}, {train.x, kColumns}, train.y, {}, 1);
  const PointTable points{test.x, kColumns};
  Values means(37), again(37), variances(37);
  std::vector<std::uint32_t> leaves(37 * 20);
  forest.predict(points, means);
  forest.predict(points, again, variances);
  forest.leaves(points, leaves);
  EXPECT_EQ(means, again);
  for (std::size_t i = 0; i < 37; ++i) {
    EXPECT_DOUBLE_EQ(means[i], forest.predict(points.row(i)));
    double variance = 0;
    for (std::size_t tree = 0; tree < 20; ++tree) {
      const double residual = forest.predict_tree(tree, points.row(i)) - means[i];
      variance += residual * residual / 20;
      for (std::size_t j = 0; j < 37; ++j) {
        if (leaves[tree * 37 + i] != leaves[tree * 37 + j]) continue;
        EXPECT_EQ(forest.predict_tree(tree, points.row(i)),
                  forest.predict_tree(tree, points.row(j)));
      }
    }
    EXPECT_NEAR(variances[i], variance, 1e-12);
    EXPECT_GT(variance, 0);
  }
}

TEST(Forest, IsTheSameForTheSameSeedOnly) {
  const Example train = example(200, 1);
  const PointTable points{train.x, kColumns};
  const auto predictions = [&](std::uint64_t seed) {
    Values means(200);
    Forest::fit({.trees = 10, .max_features = 3}, points, train.y, {}, seed).predict(points, means);
    return means;
  };
  EXPECT_EQ(predictions(1), predictions(1));
  EXPECT_NE(predictions(1), predictions(2));
}

}  // namespace
}  // namespace nightshift::search
