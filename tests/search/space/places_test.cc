#include "search/space/places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "search/searcher_catalogue.h"
#include "tests/search/spaces.h"

namespace nightshift::search {
namespace {

using Kind = ParameterSpace::Neighbourhood;

std::vector<std::size_t> visited(const Places& places, std::size_t count) {
  std::vector<std::size_t> seen;
  places.for_each(count, [&](std::size_t place) { seen.push_back(place); });
  return seen;
}

TEST(Places, AllOfAShortListAndNothingIsDrawn) {
  base::Rng rng(1);
  EXPECT_THAT(visited(Places(4, rng), 4), testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(visited(Places(4, rng), 0), testing::IsEmpty());
  EXPECT_EQ(visited(Places(), 5000).size(), 5000U);
  EXPECT_EQ(rng.next(), base::Rng(1).next());
}

TEST(Places, OneOfEachStretchOfALongList) {
  base::Rng rng(1);
  std::set<std::size_t> ever;
  for (int i = 0; i < 200; ++i) {
    const auto seen = visited(Places(3, rng), 11);  // stretches of 4, 4 and 3
    ASSERT_EQ(seen.size(), 3U);
    EXPECT_LT(seen[0], 4U);
    EXPECT_TRUE(seen[1] >= 4 && seen[1] < 8);
    EXPECT_TRUE(seen[2] >= 8 && seen[2] < 11);
    ever.insert(seen.begin(), seen.end());
  }
  EXPECT_EQ(ever.size(), 11U);
}

Parameter up_to(std::string name, std::int64_t last) {
  Parameter parameter;
  parameter.name = std::move(name);
  for (std::int64_t v = 1; v <= last; ++v) parameter.values.emplace_back(v);
  return parameter;
}

// One for each kind of group: tied by constraints, free, left uncounted, listed.
std::vector<ParameterSpace> spaces_of_every_kind(std::int64_t last) {
  std::vector<ParameterSpace> spaces;
  spaces.push_back(
      space_of({up_to("a", last), up_to("b", last), up_to("c", 3)}, {"a * b <= 40000", "c <= 2"}));
  spaces.push_back(space_of({up_to("a", last), up_to("b", last)}));
  const SpaceLimits tight = {.bytes = 1, .transitions = 1, .interpreter_steps = 1'000'000};
  spaces.push_back(ParameterSpace({up_to("a", last), up_to("b", last), up_to("c", last)},
                                  {Expression::parse("a * b + b * c + a * c < 90000")}, tight));
  std::vector<Configuration> listed;
  for (std::int64_t a = 1; a <= last; a += 2) {
    listed.push_back(Configuration({{"a", a}, {"b", std::int64_t{2}}}));
    listed.push_back(Configuration({{"a", a}, {"b", a}}));
  }
  spaces.push_back(ParameterSpace::from_list({up_to("a", last), up_to("b", last)}, listed));
  return spaces;
}

TEST(SomeNeighbours, AreAllOfThemWhereListsAreShort) {
  for (const ParameterSpace& space : spaces_of_every_kind(6)) {
    base::Rng rng(3);
    for (int n = 0; n < 20; ++n) {
      const ConfigurationIndex i = space.sample(rng);
      base::Rng untouched(5);
      EXPECT_EQ(space.some_neighbours(i, 6, untouched), space.neighbours(i, Kind::kOneParameter));
      EXPECT_EQ(untouched.next(), base::Rng(5).next());
    }
  }
}

TEST(SomeNeighbours, AreAFewValidOnesFromEverywhereWhereListsAreLong) {
  std::size_t kind = 0;
  for (const ParameterSpace& space : spaces_of_every_kind(301)) {
    SCOPED_TRACE(kind++);
    EXPECT_EQ(space.counted(), kind != 3);
    base::Rng rng(3);
    const ConfigurationIndex centre = space.sample(rng);
    const auto all = space.neighbours(centre, Kind::kOneParameter);
    const std::set<ConfigurationIndex> valid(all.begin(), all.end());
    std::set<ConfigurationIndex> met;
    for (int n = 0; n < 2000; ++n) {
      const auto some = space.some_neighbours(centre, 10, rng);
      ASSERT_LE(some.size(), 10 * space.parameters().size());
      met.insert(some.begin(), some.end());
    }
    EXPECT_EQ(met, valid);
  }
}

// Proposals are valid, new, and the same for the same seed.
TEST(SomeNeighbours, LeaveSearchersRepeatable) {
  for (const ParameterSpace& space : spaces_of_every_kind(400)) {
    std::vector<std::vector<ConfigurationIndex>> runs;
    for (int run = 0; run < 2; ++run) {
      SearcherSettings settings;
      settings.seed = 11;
      const auto searcher = make_searcher("auto", space, settings);
      std::vector<ConfigurationIndex> asked;
      for (int n = 0; n < 25; ++n) {
        const auto proposals = searcher->ask(1);
        ASSERT_EQ(proposals.size(), 1U);
        EXPECT_TRUE(space.contains(proposals.front()));
        const auto digits = space.digits(proposals.front());
        searcher->tell(proposals.front(), {Score{1.0 + digits[0] + 0.1 * digits[1], 0}});
        asked.push_back(proposals.front());
      }
      runs.push_back(asked);
    }
    EXPECT_EQ(runs[0], runs[1]);
    EXPECT_EQ(std::set<ConfigurationIndex>(runs[0].begin(), runs[0].end()).size(), 25U);
  }
}

}  // namespace
}  // namespace nightshift::search
