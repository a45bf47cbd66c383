#include "search/searchers/published_lfbo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "search/searcher_catalogue.h"
#include "search/searchers/pattern_neighbours.h"
#include "tests/search/spaces.h"

namespace nightshift::search {
namespace {

using Digits = std::vector<std::uint32_t>;

// 10,000 configurations; two parameters are block sizes.
ParameterSpace tiled() {
  std::vector<Parameter> parameters;
  for (const char* name : {"block_m", "block_n", "stages", "warps"}) {
    parameters.push_back(integers(name, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  }
  return space_of(std::move(parameters));
}

double cost_of(const Digits& digits) {
  double cost = 1;
  for (const std::uint32_t digit : digits) cost += (digit - 7.0) * (digit - 7.0);
  return cost;
}

// Asks for one after the other and tells its cost.
std::vector<Digits> proposed(Searcher& searcher, const ParameterSpace& space, std::size_t count,
                             double scale = 1) {
  std::vector<Digits> all;
  while (all.size() < count) {
    const std::vector<ConfigurationIndex> next = searcher.ask(1);
    if (next.empty()) break;
    all.push_back(space.digits(next.front()));
    searcher.tell(next.front(), {.score = Score{1 + scale * cost_of(all.back()), 0}});
  }
  return all;
}

TEST(PatternNeighbours, StepsAreEachParameterAndEachTwoBlockSizes) {
  const PatternNeighbours moves(tiled());
  const std::vector<Digits> steps = moves.steps(Digits{5, 5, 0, 9});
  // Two of each block size, one of the others at their ends, and two by two block sizes.
  EXPECT_EQ(steps.size(), 2U + 2U + 1U + 1U + 4U);
  EXPECT_EQ(std::set<Digits>(steps.begin(), steps.end()).size(), steps.size());
  EXPECT_EQ(std::ranges::count(steps, Digits{6, 4, 0, 9}), 1);
  EXPECT_EQ(std::ranges::count(steps, Digits{5, 5, 1, 8}), 0);
}

TEST(PatternPublished, EvaluatesAllThatIsAroundTheFiveBestOfAHundred) {
  const ParameterSpace space = tiled();
  const auto searcher = make_searcher("pattern-published", space, {.seed = 3});
  std::vector<Digits> population = proposed(*searcher, space, 100);
  std::ranges::stable_sort(population, {}, cost_of);
  const PatternNeighbours moves(space);
  std::set<Digits> around;
  for (std::size_t k = 0; k < 5; ++k) {
    for (const Digits& step : moves.steps(population[k])) around.insert(step);
  }
  for (const Digits& known : population) around.erase(known);
  const std::vector<Digits> generation = proposed(*searcher, space, around.size());
  EXPECT_EQ(std::set<Digits>(generation.begin(), generation.end()), around);
}

TEST(PatternPublished, WalksToTheBottom) {
  const ParameterSpace space = tiled();
  const auto searcher = make_searcher("pattern-published-quick", space, {.seed = 1});
  const std::vector<Digits> all = proposed(*searcher, space, 150);
  EXPECT_EQ(std::ranges::count(all, Digits{7, 7, 7, 7}), 1);
}

// Each step gains less than a thousandth: every copy ends with the first generation.
TEST(PatternPublished, EndsWhereTooLittleIsGainedAndBeginsAnew) {
  const ParameterSpace space = tiled();
  const auto searcher = make_searcher("pattern-published-quick", space, {.seed = 1});
  constexpr double kFlat = 1e-6;
  std::vector<Digits> population = proposed(*searcher, space, 30, kFlat);
  std::ranges::stable_sort(population, {}, cost_of);
  const PatternNeighbours moves(space);
  std::set<Digits> around;
  for (std::size_t k = 0; k < 2; ++k) {
    for (const Digits& step : moves.steps(population[k])) around.insert(step);
  }
  for (const Digits& known : population) around.erase(known);
  proposed(*searcher, space, around.size(), kFlat);
  // A walk would stay within two steps of the two best.
  const auto is_far = [&](const Digits& digits) {
    return std::ranges::all_of(
        std::vector<Digits>{population[0], population[1]}, [&](const Digits& best) {
          int distance = 0;
          for (std::size_t k = 0; k < best.size(); ++k) {
            distance += std::abs(static_cast<int>(best[k]) - static_cast<int>(digits[k]));
          }
          return distance > 4;
        });
  };
  EXPECT_GT(std::ranges::count_if(proposed(*searcher, space, 30, kFlat), is_far), 15);
}

}  // namespace
}  // namespace nightshift::search
