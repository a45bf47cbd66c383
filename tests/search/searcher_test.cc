#include "search/searcher_catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <stdexcept>
#include <string>

#include "base/rng.h"

namespace nightshift::search {
namespace {

using ::testing::HasSubstr;

ParameterSpace grid(int dimensions, int side) {
  std::vector<Parameter> parameters;
  for (int k = 0; k < dimensions; ++k) {
    Parameter parameter;
    parameter.name = "p" + std::to_string(k);
    for (int v = 0; v < side; ++v) parameter.values.emplace_back(std::int64_t{v});
    parameters.push_back(std::move(parameter));
  }
  return ParameterSpace(std::move(parameters), {});
}

TEST(SearcherCatalogue, NamesItsSearchers) {
  std::vector<std::string> names;
  for (const SearcherInfo& info : searcher_catalogue()) {
    names.emplace_back(info.name);
    EXPECT_FALSE(info.summary.empty());
  }
  EXPECT_THAT(
      names, ::testing::IsSupersetOf({"auto", "gaussian-process", "ucb-pattern", "tpe", "lfbo-tree",
                                      "pattern", "annealing", "hill-climbing", "genetic",
                                      "differential-evolution", "particle-swarm", "nsga2",
                                      "portfolio", "low-discrepancy", "random", "exhaustive"}));
}

TEST(SearcherCatalogue, UnknownNameListsTheKnown) {
  const ParameterSpace space = grid(1, 2);
  try {
    make_searcher("patern", space, {.seed = 1});
    FAIL() << "no exception";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("'patern'"));
    EXPECT_THAT(error.what(),
                HasSubstr("auto, gaussian-process, ucb-pattern, pattern, annealing, "));
  }
}

TEST(ExhaustiveSearcher, FollowsTheOrderOfTheSpace) {
  const ParameterSpace space = grid(2, 2);
  const auto searcher = make_searcher("exhaustive", space, {.seed = 1});
  searcher->tell({1}, {});
  const std::vector<ConfigurationIndex> expected = {{0}, {2}, {3}};
  EXPECT_EQ(searcher->ask(10), expected);
}

TEST(RandomSearcher, FirstProposalsAreUniform) {
  const ParameterSpace space = grid(1, 10);
  std::array<int, 10> first{};
  std::array<int, 10> third{};
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    const auto proposals = make_searcher("random", space, {.seed = seed})->ask(3);
    ++first.at(static_cast<std::size_t>(proposals[0].value));
    ++third.at(static_cast<std::size_t>(proposals[2].value));
  }
  for (const int count : first) EXPECT_NEAR(count, 500, 90);
  for (const int count : third) EXPECT_NEAR(count, 500, 90);
}

TEST(RandomSearcher, SeedsDiffer) {
  const ParameterSpace space = grid(3, 10);
  EXPECT_NE(make_searcher("random", space, {.seed = 1})->ask(5),
            make_searcher("random", space, {.seed = 2})->ask(5));
}

// A bowl along the axes with a ridge: 4 parameters of 8 values, the optimum at (5, 2, 6, 1).
double bowl(const ParameterSpace& space, ConfigurationIndex i) {
  constexpr std::array<double, 4> kOptimum = {5, 2, 6, 1};
  const std::vector<std::uint32_t> d = space.digits(i);
  double sum = 0;
  for (std::size_t k = 0; k < 4; ++k) sum += std::abs(d[k] - kOptimum[k]);
  return 1 + 0.1 * sum + (d[0] % 2 == 0 ? 0.15 : 0);
}

// The best score among the first `evaluations`.
double best_after(Searcher& searcher, const ParameterSpace& space, int evaluations,
                  std::size_t outstanding) {
  double best = 1e300;
  std::deque<ConfigurationIndex> due;
  for (int told = 0; told < evaluations; ++told) {
    while (due.size() < outstanding) {
      for (const ConfigurationIndex i : searcher.ask(outstanding - due.size())) due.push_back(i);
    }
    const double score = bowl(space, due.front());
    searcher.tell(due.front(), {Score{score, 0}});
    best = std::min(best, score);
    due.pop_front();
  }
  return best;
}

TEST(PatternSearcher, FindsTheBottomOfABowlFarSoonerThanChance) {
  const ParameterSpace space = grid(4, 8);  // 4096 configurations; chance finds it once in 34
  for (const std::size_t outstanding : {1U, 4U, 16U}) {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const auto searcher = make_searcher("pattern", space, {.seed = seed});
      found += best_after(*searcher, space, 120, outstanding) == 1 ? 1 : 0;
    }
    EXPECT_GE(found, 18) << outstanding;
  }
}

TEST(PatternSearcher, StartsFromWhatItIsTold) {
  const ParameterSpace space = grid(4, 8);
  const ConfigurationIndex near = *space.index_of_digits(std::vector<std::uint32_t>{5, 3, 6, 1});
  const auto searcher = make_searcher("pattern", space, {.seed = 1});
  searcher->tell(near, {Score{bowl(space, near), 0}});
  EXPECT_EQ(best_after(*searcher, space, 20, 1), 1);
}

TEST(PatternSearcher, LeavesALocalOptimum) {
  const ParameterSpace space = grid(2, 30);
  const auto score = [&](ConfigurationIndex i) {
    const auto d = space.digits(i);
    const bool in_the_hole = d[0] >= 20 && d[1] >= 20;
    return in_the_hole ? 0.5 + 0.01 * (58 - d[0] - d[1]) : 1 + 0.01 * (d[0] + d[1]);
  };
  const auto searcher = make_searcher("pattern", space, {.seed = 3});
  searcher->tell({0}, {Score{score({0}), 0}});  // the wrong corner, better than all around it
  double best = 1;
  for (int i = 0; i < 300; ++i) {
    const ConfigurationIndex next = searcher->ask(1).front();
    best = std::min(best, score(next));
    searcher->tell(next, {Score{score(next), 0}});
  }
  EXPECT_LT(best, 0.55);
}

TEST(PatternSearcher, FailuresAreOnlyBad) {
  const ParameterSpace space = grid(4, 8);
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto searcher = make_searcher("pattern", space, {.seed = seed});
    for (int i = 0; i < 250; ++i) {
      const ConfigurationIndex next = searcher->ask(1).front();
      const bool fails = space.digits(next)[3] == 3;  // a wall across the space
      searcher->tell(next, fails ? Observation{} : Observation{Score{bowl(space, next), 0}});
      found += !fails && bowl(space, next) == 1 ? 1 : 0;
    }
  }
  EXPECT_GE(found, 8);
}

}  // namespace
}  // namespace nightshift::search
