// What is expected of every searcher that learns without a model; what each does in its own way is
// tested beside it.

#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"
#include "search/searcher_catalogue.h"
#include "tests/search/landscapes.h"

namespace nightshift::search {
namespace {

class ModelFree : public ::testing::TestWithParam<const char*> {
 protected:
  // In how many of 6 runs the optimum, which costs 1, is found.
  static int found(const ParameterSpace& space, const CostFunction& cost, int evaluations,
                   std::size_t outstanding) {
    int count = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const auto searcher = make_searcher(GetParam(), space, {.seed = seed});
      count += best_after(*searcher, space, cost, evaluations, outstanding) == 1 ? 1 : 0;
    }
    return count;
  }
};

// Of 4096 configurations, chance finds the optimum in 200 evaluations once in 20 runs.
TEST_P(ModelFree, FindsTheBottomOfABowlFarSoonerThanChance) {
  const ParameterSpace space = grid(4, 8);
  for (const std::size_t outstanding : {1U, 8U}) {
    EXPECT_GE(found(space, bowl, 200, outstanding), 3) << outstanding;
  }
}

TEST_P(ModelFree, KeepsItsWitsWithManyOutstanding) {
  const ParameterSpace space = grid(4, 8);
  EXPECT_GE(found(space, bowl, 400, 64), 3);
}

TEST_P(ModelFree, LeavesLocalOptima) {
  const ParameterSpace space = grid(4, 8);
  EXPECT_GE(found(space, rugged, 400, 1), 5);
}

TEST_P(ModelFree, FindsItsWayAlongAConstraint) {
  const ParameterSpace space =
      grid(4, 8, {Expression::parse("p0 + p1 == 7"), Expression::parse("(p2 * p3) % 3 == 0")});
  EXPECT_GE(found(space, bowl, 60, 1), 4);
}

TEST_P(ModelFree, FailuresAreOnlyBad) {
  const ParameterSpace space = grid(4, 8);
  int count = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto searcher = make_searcher(GetParam(), space, {.seed = seed});
    bool reached = false;
    for (int i = 0; i < 300; ++i) {
      const ConfigurationIndex next = searcher->ask(1).front();
      const auto digits = space.digits(next);
      const bool fails = digits[3] == 3 || digits[1] == 5;  // walls across the space
      searcher->tell(next, fails ? Observation{} : Observation{Score{bowl(digits), 0}});
      reached = reached || (!fails && bowl(digits) == 1);
    }
    count += reached ? 1 : 0;
  }
  EXPECT_GE(count, 5);
}

// Every score is 2 % off by chance, and says so; nothing may stop the search from getting near.
TEST_P(ModelFree, BearsNoise) {
  const ParameterSpace space = grid(4, 8);
  int near = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    base::Rng noise(seed);
    const auto searcher = make_searcher(GetParam(), space, {.seed = seed});
    double best = 1e9;
    for (int i = 0; i < 200; ++i) {
      const ConfigurationIndex next = searcher->ask(1).front();
      const double truth = bowl(space.digits(next));
      searcher->tell(next, {Score{truth * (1 + 0.02 * noise.normal()), truth * 0.02}});
      best = std::min(best, truth);
    }
    near += best < 1.15 ? 1 : 0;
  }
  EXPECT_GE(near, 5);
}

TEST_P(ModelFree, TheBaselineIsKnown) {
  const ParameterSpace space = grid(3, 5);
  const auto searcher = make_searcher(GetParam(), space, {.seed = 1, .baseline = {{7}}});
  const std::vector<ConfigurationIndex> all = searcher->ask(1000);
  EXPECT_EQ(all.size(), 124U);
  EXPECT_EQ(std::ranges::count(all, ConfigurationIndex{7}), 0);
}

TEST_P(ModelFree, BeginsWithTheBestOfAnEarlierStudy) {
  const ParameterSpace space = grid(3, 9);
  SearcherSettings settings;
  for (std::uint64_t i = 0; i < 40; ++i) {
    settings.earlier.push_back({{i}, {Score{2 - 0.01 * static_cast<double>(i), 0}}});
  }
  settings.earlier.push_back({{41}, {}});
  const auto searcher = make_searcher(GetParam(), space, settings);
  const std::vector<ConfigurationIndex> expected = {{39}, {38}, {37}};
  EXPECT_EQ(searcher->ask(3), expected);
  const std::vector<ConfigurationIndex> rest = searcher->ask(1000);
  EXPECT_EQ(std::set<ConfigurationIndex>(rest.begin(), rest.end()).size(), 726U);
}

INSTANTIATE_TEST_SUITE_P(Searchers, ModelFree,
                         ::testing::Values("annealing", "hill-climbing", "genetic",
                                           "differential-evolution", "particle-swarm", "nsga2",
                                           "portfolio"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace nightshift::search
