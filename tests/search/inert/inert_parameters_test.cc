#include "search/inert/inert_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "search/searcher_catalogue.h"
#include "tests/search/spaces.h"

namespace nightshift::search {
namespace {

using ::testing::ElementsAre;
using Digits = std::vector<std::uint32_t>;
using Code = std::function<std::uint64_t(const Digits&)>;

// Tile and unroll matter; stages and hint are what the tests make of them.
ParameterSpace tiles() {
  return space_of({integers("tile", {0, 1, 2, 3, 4, 5, 6, 7}), integers("unroll", {0, 1, 2, 3}),
                   integers("stages", {0, 1, 2, 3}), integers("hint", {0, 1, 2})});
}
std::uint64_t tile_and_unroll(const Digits& d) { return 1 + d[0] + 10 * d[1]; }
// Stages matter in what is unrolled most.
std::uint64_t stages_of_unrolled(const Digits& d) {
  return tile_and_unroll(d) + (d[1] == 3 ? 100 * d[2] : 0);
}

void see(InertParameters& inert, const Digits& digits, const Code& code) {
  inert.proposed(digits);
  inert.observe(digits, code(digits), true);
}

// Both in `tiles` tiles of no unrolling.
void see_pairs(InertParameters& inert, const Code& code, std::uint32_t tiles) {
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    see(inert, {tile, 0, 0, 0}, code);
    see(inert, {tile, 0, 1, 0}, code);
  }
}

TEST(InertParameters, FiveWithEqualCodeShowThatAParameterIsInert) {
  const ParameterSpace space = tiles();
  InertParameters inert(space);
  see_pairs(inert, tile_and_unroll, 4);
  EXPECT_FALSE(inert.any());
  EXPECT_THAT(inert.reduced(Digits{2, 1, 3, 2}), ElementsAre(2, 1, 3, 2));
  see(inert, {4, 0, 0, 0}, tile_and_unroll);
  see(inert, {4, 0, 1, 0}, tile_and_unroll);
  EXPECT_TRUE(inert.any());
  EXPECT_THAT(inert.reduced(Digits{2, 1, 3, 2}), ElementsAre(2, 1, 0, 2));
  EXPECT_TRUE(inert.is_known(inert.key(Digits{2, 0, 3, 0})));
  EXPECT_FALSE(inert.is_known(inert.key(Digits{2, 1, 0, 0}))) << "unroll matters";
  EXPECT_FALSE(inert.is_known(inert.key(Digits{7, 0, 1, 0}))) << "nothing of tile 7 is known";
  inert.proposed(Digits{7, 0, 1, 0});
  EXPECT_TRUE(inert.is_known(inert.key(Digits{7, 0, 2, 0}))) << "it is on its way";
}

TEST(InertParameters, OfOneMachineCodeTwoPiecesCount) {
  const ParameterSpace space =
      space_of({integers("a", {0, 1}), integers("b", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})});
  InertParameters inert(space);
  for (std::uint32_t b = 0; b < 10; ++b) see(inert, {0, b}, [](const Digits&) { return 1; });
  EXPECT_FALSE(inert.any());
}

TEST(InertParameters, WhatDiffersOnceOrDecidesWhetherItWorksIsNotInert) {
  const ParameterSpace space = tiles();
  for (const bool works : {true, false}) {
    InertParameters inert(space);
    see_pairs(inert, tile_and_unroll, 6);
    ASSERT_TRUE(inert.any());
    inert.observe(Digits{2, 0, 3, 0}, works ? 777 : 0, works);
    EXPECT_FALSE(inert.any());
  }
}

TEST(InertParameters, TwoThatDoNotWorkShowNothing) {
  const ParameterSpace space = tiles();
  InertParameters inert(space);
  see_pairs(inert, tile_and_unroll, 6);
  inert.observe(Digits{7, 3, 0, 0}, 0, false);
  inert.observe(Digits{7, 3, 1, 0}, 0, false);
  EXPECT_TRUE(inert.any());
}

TEST(InertParameters, InertOnlyWhileAnotherHasAValue) {
  const ParameterSpace space = tiles();
  InertParameters inert(space);
  see_pairs(inert, stages_of_unrolled, 8);
  ASSERT_THAT(inert.reduced(Digits{0, 3, 2, 0}), ElementsAre(0, 3, 0, 0)) << "nothing is known";
  see(inert, {0, 3, 1, 0}, stages_of_unrolled);
  see(inert, {0, 3, 2, 0}, stages_of_unrolled);
  EXPECT_TRUE(inert.any());
  EXPECT_THAT(inert.reduced(Digits{5, 0, 2, 1}), ElementsAre(5, 0, 0, 1));
  EXPECT_THAT(inert.reduced(Digits{5, 3, 2, 1}), ElementsAre(5, 3, 2, 1));
}

// Tiles were seen both ways: with tile 5 nothing is against it, and it explains nothing.
TEST(InertParameters, WhatExplainsNothingIsNoCondition) {
  const ParameterSpace space = tiles();
  InertParameters inert(space);
  for (std::uint32_t hint = 0; hint < 3; ++hint) {
    for (std::uint32_t unroll = 0; unroll < 3; ++unroll) {
      for (std::uint32_t tile = 0; tile < 8; ++tile) {
        const Code code = [](const Digits& d) { return stages_of_unrolled(d) + 1000 * d[3]; };
        see(inert, {tile, unroll, 0, hint}, code);
        see(inert, {tile, unroll, 1, hint}, code);
        if (unroll > 0 || tile != 0) continue;
        see(inert, {tile, 3, 0, hint}, code);
        see(inert, {tile, 3, 1, hint}, code);
      }
    }
  }
  EXPECT_THAT(inert.reduced(Digits{5, 1, 2, 1}), ElementsAre(5, 1, 0, 1));
  EXPECT_THAT(inert.reduced(Digits{5, 3, 2, 1}), ElementsAre(5, 3, 2, 1)) << "it is unrolled";
}

// A wrong belief of both falls by the tests alone, and that of the parameter that is inert stays.
TEST(InertParameters, TestsFindWhichOfManyMatters) {
  const ParameterSpace space = tiles();
  InertParameters inert(space);
  base::Rng rng(3);
  const Code code = [](const Digits& d) {
    return tile_and_unroll(d) + (d[0] == 7 ? 50 * d[2] : 0);
  };
  for (std::uint32_t tile = 0; tile < 6; ++tile) {
    see(inert, {tile, 0, 0, 0}, code);
    see(inert, {tile, 0, 1, 1}, code);
  }
  ASSERT_THAT(inert.reduced(Digits{7, 1, 2, 2}), ElementsAre(7, 1, 0, 0));
  see(inert, {7, 1, 2, 2}, code);
  const std::vector<ConfigurationIndex> best = {*space.index_of_digits(Digits{7, 1, 2, 2})};
  int builds = 0;
  while (inert.reduced(Digits{7, 1, 2, 2})[2] == 0 && builds < 20) {
    const auto test = inert.test(best, rng);
    if (!test) continue;
    see(inert, space.digits(*test), code);
    ++builds;
  }
  EXPECT_LE(builds, 4);
  EXPECT_THAT(inert.reduced(Digits{7, 1, 2, 2}), ElementsAre(7, 1, 2, 0));
}

// --- In a search ---

struct Search {
  int measured = 0, equal = 0, after_belief = 0, equal_after_belief = 0;
  double best = 1e9;
};

// `builds` proposals of a searcher that is told equal code, or not.
Search searched(std::uint64_t seed, bool told, int builds) {
  std::vector<Parameter> parameters;
  for (const char* name : {"p", "q", "r"})
    parameters.push_back(integers(name, {1, 2, 4, 8, 16, 32}));
  for (int i = 0; i < 8; ++i) {
    parameters.push_back(
        integers("inert_" + std::string(1, static_cast<char>('a' + i)), {0, 1, 2}));
  }
  const ParameterSpace space = space_of(std::move(parameters));
  const auto searcher = make_searcher("auto", space, {.seed = seed});
  std::map<std::uint64_t, int> known;
  Search search;
  for (int build = 0; build < builds; ++build) {
    const ConfigurationIndex next = searcher->ask(1).at(0);
    const Digits d = space.digits(next);
    const std::uint64_t code = 1 + d[0] + 10 * d[1] + 100 * d[2];
    const bool is_equal = known[code]++ > 0;
    (is_equal ? search.equal : search.measured) += 1;
    if (build >= builds / 2) {
      ++search.after_belief;
      search.equal_after_belief += is_equal ? 1 : 0;
    }
    const double p = d[0] - 4.0, q = d[1] - 1.0, r = d[2] - 3.0;
    const double cost = 1 + 0.2 * (p * p + q * q + r * r) + 0.1 * p * q;
    search.best = std::min(search.best, cost);
    Observation observation;
    observation.score = Score{cost, 0};
    if (told) observation.code = code;
    searcher->tell(next, observation);
  }
  return search;
}

TEST(InertParameters, ASearchMeasuresMoreAndTestsNowAndThen) {
  int measured = 0, measured_untold = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Search told = searched(seed, true, 160), untold = searched(seed, false, 160);
    measured += told.measured;
    measured_untold += untold.measured;
    EXPECT_EQ(told.best, 1) << seed;
    // One in ten tests the belief.
    EXPECT_GE(told.equal_after_belief, told.after_belief / 20) << seed;
    EXPECT_LE(told.equal_after_belief, told.after_belief / 5) << seed;
  }
  EXPECT_GT(measured, 1.2 * measured_untold) << measured_untold;
}

// What is left differs in inert parameters alone, and is proposed all the same.
TEST(InertParameters, ASmallSpaceIsExhausted) {
  const ParameterSpace space =
      space_of({integers("a", {1, 2, 3, 4, 5, 6, 7, 8}), integers("b", {1, 2, 3, 4})});
  const auto searcher = make_searcher("auto", space, {.seed = 1});
  for (int i = 0; i < 32; ++i) {
    const auto next = searcher->ask(1);
    ASSERT_EQ(next.size(), 1U) << i;
    const Digits d = space.digits(next[0]);
    Observation observation;
    observation.score = Score{1.0 + d[0], 0};
    observation.code = 1 + d[0];
    searcher->tell(next[0], observation);
  }
  EXPECT_TRUE(searcher->ask(1).empty());
}

}  // namespace
}  // namespace nightshift::search
