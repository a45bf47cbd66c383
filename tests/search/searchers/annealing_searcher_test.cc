#include <gtest/gtest.h>

#include <set>

#include "search/searcher_catalogue.h"
#include "tests/search/landscapes.h"

namespace nightshift::search {
namespace {

constexpr std::size_t kSamples = 16;

// A searcher that stands at `place`, with all samples worse than it.
std::unique_ptr<Searcher> standing(const ParameterSpace& space, ConfigurationIndex place,
                                   std::uint64_t seed) {
  auto searcher = make_searcher("annealing", space, {.seed = seed});
  spend_samples(*searcher, kSamples, 10);
  searcher->tell(place, {Score{1, 0}});
  return searcher;
}

TEST(AnnealingSearcher, StepsChangeOneParameterOfTheBestSample) {
  const ParameterSpace space = grid(4, 9);
  const auto searcher = make_searcher("annealing", space, {.seed = 1});
  std::vector<ConfigurationIndex> samples = searcher->ask(kSamples);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    searcher->tell(samples[i], {Score{i == 5 ? 1.0 : 2.0, 0}});
  }
  for (const ConfigurationIndex step : searcher->ask(10)) {
    EXPECT_EQ(differing(space, step, samples[5]), 1);
  }
}

TEST(AnnealingSearcher, TakesALossAsOftenAsTheTemperatureSays) {
  const ParameterSpace space = grid(4, 9);
  const ConfigurationIndex place = at(space, {4, 4, 4, 4});
  int small = 0;
  int large = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    for (const double loss : {0.02, 0.5}) {
      const auto searcher = standing(space, place, seed);
      const ConfigurationIndex step = searcher->ask(1).front();
      searcher->tell(step, {Score{1 + loss, 0}});
      // From the old place no step differs in two parameters.
      bool moved = false;
      for (const ConfigurationIndex i : searcher->ask(8)) moved |= differing(space, i, place) > 1;
      (loss < 0.1 ? small : large) += moved ? 1 : 0;
    }
  }
  EXPECT_NEAR(small, 67, 25);  // exp(-0.02 / 0.05) of 100
  EXPECT_LE(large, 2);
}

TEST(AnnealingSearcher, ALossWithinTheNoiseIsNone) {
  const ParameterSpace space = grid(4, 9);
  const ConfigurationIndex place = at(space, {4, 4, 4, 4});
  int moved = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto searcher = standing(space, place, seed);
    const ConfigurationIndex step = searcher->ask(1).front();
    searcher->tell(step, {Score{1.5, 2}});
    for (const ConfigurationIndex i : searcher->ask(8)) {
      if (differing(space, i, place) > 1) {
        ++moved;
        break;
      }
    }
  }
  EXPECT_GE(moved, 30);
}

TEST(AnnealingSearcher, BeginsAnewWhereNothingIsGained) {
  const ParameterSpace space = grid(4, 20);
  const ConfigurationIndex place = at(space, {4, 4, 4, 4});
  const auto searcher = standing(space, place, 3);
  int far = 0;
  for (int i = 0; i < 60; ++i) {
    const ConfigurationIndex next = searcher->ask(1).front();
    if (i < 38) {
      EXPECT_EQ(differing(space, next, place), 1) << i;
    }
    far += differing(space, next, place) > 1 ? 1 : 0;
    searcher->tell(next, {Score{5, 0}});
  }
  EXPECT_GE(far, 15);
}

}  // namespace
}  // namespace nightshift::search
