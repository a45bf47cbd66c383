#include <gtest/gtest.h>

#include <set>

#include "search/searcher_catalogue.h"
#include "tests/search/landscapes.h"

namespace nightshift::search {
namespace {

constexpr std::size_t kSamples = 16;

std::unique_ptr<Searcher> standing(const ParameterSpace& space, ConfigurationIndex centre) {
  auto searcher = make_searcher("hill-climbing", space, {.seed = 1});
  spend_samples(*searcher, kSamples, 10);
  searcher->tell(centre, {Score{1, 0}});
  return searcher;
}

TEST(HillClimbingSearcher, PollsAdjacentValuesThenAllOthersThenBeginsAnew) {
  const ParameterSpace space = grid(3, 7);
  const ConfigurationIndex centre = at(space, {3, 3, 3});
  const auto searcher = standing(space, centre);
  std::set<ConfigurationIndex> polled;
  for (int i = 0; i < 40; ++i) {
    const ConfigurationIndex next = searcher->ask(1).front();
    searcher->tell(next, {Score{2, 0}});
    if (differing(space, next, centre) != 1) break;
    polled.insert(next);
    const auto adjacent = space.neighbours(centre, ParameterSpace::Neighbourhood::kAdjacent);
    const bool is_adjacent = std::ranges::find(adjacent, next) != adjacent.end();
    EXPECT_TRUE(!is_adjacent || polled.size() <= 6);
  }
  EXPECT_GE(polled.size(), 16U);  // of 18, where the samples had some
}

TEST(HillClimbingSearcher, TakesTheFirstBetterOneAtOnce) {
  const ParameterSpace space = grid(3, 9);
  const auto searcher = standing(space, at(space, {4, 4, 4}));
  const ConfigurationIndex better = searcher->ask(1).front();
  searcher->tell(better, {Score{0.9, 0}});
  for (const ConfigurationIndex next : searcher->ask(5)) {
    EXPECT_EQ(differing(space, next, better), 1);
  }
}

TEST(HillClimbingSearcher, DoesNotFollowTheNoise) {
  const ParameterSpace space = grid(3, 9);
  const ConfigurationIndex centre = at(space, {4, 4, 4});
  const auto searcher = standing(space, centre);
  searcher->tell(searcher->ask(1).front(), {Score{0.9, 0.2}});
  for (const ConfigurationIndex next : searcher->ask(5)) {
    EXPECT_EQ(differing(space, next, centre), 1);
  }
}

TEST(HillClimbingSearcher, DoesNotGiveUpBeforeItHasHeard) {
  const ParameterSpace space = grid(3, 5);
  const ConfigurationIndex centre = at(space, {2, 2, 2});
  const auto searcher = standing(space, centre);
  std::vector<ConfigurationIndex> polled;
  while (polled.size() < 30) polled.push_back(searcher->ask(1).front());  // more than neighbours
  const auto neighbour = std::ranges::find_if(
      polled, [&](ConfigurationIndex i) { return differing(space, i, centre) == 1; });
  ASSERT_NE(neighbour, polled.end());
  searcher->tell(*neighbour, {Score{0.9, 0}});
  EXPECT_EQ(differing(space, searcher->ask(1).front(), *neighbour), 1);
}

}  // namespace
}  // namespace nightshift::search
