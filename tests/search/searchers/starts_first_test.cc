#include "search/searchers/starts_first.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "search/searcher_catalogue.h"
#include "tests/fakes/list_searcher.h"
#include "tests/search/landscapes.h"

namespace nightshift::search {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

Parameter powers(const char* name, int count) {
  Parameter parameter;
  parameter.name = name;
  for (int i = 0; i < count; ++i) parameter.values.emplace_back(std::int64_t{1} << i);
  return parameter;
}

class NearBaselineOf : public ::testing::Test {
 protected:
  // Of `trials` neighbours, beside a list of all configurations in order.
  std::unique_ptr<Searcher> make(const ParameterSpace& space, std::size_t trials,
                                 std::uint64_t seed = 1) {
    auto usual = std::make_unique<fakes::ListSearcher>(space.size());
    usual_ = usual.get();
    return near_baseline(std::move(usual), space, baseline_, trials, seed);
  }
  std::vector<std::size_t> changed(const ParameterSpace& space, ConfigurationIndex other) const {
    const auto here = space.digits(baseline_), there = space.digits(other);
    std::vector<std::size_t> parameters;
    for (std::size_t k = 0; k < here.size(); ++k) {
      if (here[k] != there[k]) parameters.push_back(k);
    }
    return parameters;
  }

  ConfigurationIndex baseline_{std::uint64_t{700}};
  fakes::ListSearcher* usual_ = nullptr;
};

TEST_F(NearBaselineOf, EveryOtherTrialAtFirstChangesOneParameterOrTwo) {
  const ParameterSpace space = grid(4, 6);
  const auto searcher = make(space, 4);
  const std::vector<ConfigurationIndex> all = searcher->ask(12);
  ASSERT_EQ(all.size(), 12U);
  std::vector<std::size_t> changes;
  std::vector<ConfigurationIndex> usual;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < 8 && i % 2 == 0) {
      changes.push_back(changed(space, all[i]).size());
    } else {
      usual.push_back(all[i]);
    }
  }
  EXPECT_THAT(changes, ElementsAre(1, 2, 1, 2));
  std::vector<ConfigurationIndex> listed;
  for (std::uint64_t i = 0; i < usual.size(); ++i) listed.push_back({i});
  EXPECT_EQ(usual, listed) << "in the searcher's own order";
}

TEST_F(NearBaselineOf, ParametersTakeTurnsBlocksAndWarpsFirst) {
  std::vector<Parameter> parameters;
  for (const char* name :
       {"order", "block_sizes_0", "stages", "num_warps", "block_sizes_1", "lone"}) {
    parameters.push_back(powers(name, name == std::string("lone") ? 1 : 4));
  }
  const ParameterSpace space(std::move(parameters), {});
  const auto searcher = make(space, 20);
  std::vector<std::size_t> alone;
  while (alone.size() < 10) {
    const ConfigurationIndex next = searcher->ask(2).front();
    if (changed(space, next).size() == 1) alone.push_back(changed(space, next).front());
  }
  const auto part = [&](std::size_t from, std::size_t to) {
    return std::vector(alone.begin() + from, alone.begin() + to);
  };
  EXPECT_THAT(part(0, 3), UnorderedElementsAre(1, 3, 4));
  EXPECT_THAT(part(3, 5), UnorderedElementsAre(0, 2));
  EXPECT_EQ(part(5, 10), part(0, 5));
}

TEST_F(NearBaselineOf, NothingIsProposedTwiceAndNothingLeftOut) {
  const ParameterSpace space = grid(4, 6, {Expression::parse("(p0 + p1 + p2) % 4 == 0")});
  baseline_ = {std::uint64_t{50}};
  const auto searcher = make(space, 100);
  std::set<ConfigurationIndex> proposed;
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    const auto next = searcher->ask(1);
    ASSERT_EQ(next.size(), 1U) << i;
    EXPECT_TRUE(proposed.insert(next.front()).second);
  }
  EXPECT_THAT(searcher->ask(1), IsEmpty());
}

TEST_F(NearBaselineOf, WhatIsKnownIsNotProposed) {
  const ParameterSpace space = grid(2, 4);
  baseline_ = {std::uint64_t{5}};
  const auto searcher = make(space, 100);
  for (std::uint64_t i = 0; i < 16; ++i) {
    if (i != 6) searcher->tell({i}, {Score{1, 0}});
  }
  EXPECT_EQ(usual_->told.size(), 15U);
  EXPECT_EQ(searcher->ask(1).front(), ConfigurationIndex{std::uint64_t{6}});
}

TEST_F(NearBaselineOf, AloneInTheSpaceThereIsNothingNear) {
  const ParameterSpace space = grid(2, 1);
  baseline_ = {std::uint64_t{0}};
  EXPECT_THAT(make(space, 5)->ask(3), ElementsAre(ConfigurationIndex{std::uint64_t{0}}));
}

TEST_F(NearBaselineOf, SeedsDiffer) {
  const ParameterSpace space = grid(4, 6);
  const auto first = make(space, 6, 1)->ask(12);
  EXPECT_EQ(make(space, 6, 1)->ask(12), first);
  EXPECT_NE(make(space, 6, 2)->ask(12), first);
}

// By the catalogue: an option of every searcher, after the starts. Without a baseline it would be
// ignored in silence.
TEST_F(NearBaselineOf, EverySearcherHasIt) {
  const ParameterSpace space = grid(4, 6);
  for (const SearcherInfo& info : searcher_catalogue()) {
    SearcherSettings settings;
    settings.starts = {{std::uint64_t{3}}};
    const auto usual = make_searcher(info.name, space, settings)->ask(3);
    settings.options = {{"near_baseline", std::int64_t{0}}};
    EXPECT_EQ(make_searcher(info.name, space, settings)->ask(3), usual) << info.name;
    settings.options = {{"near_baseline", std::int64_t{2}}};
    EXPECT_THROW(make_searcher(info.name, space, settings), std::invalid_argument) << info.name;
    settings.baseline = baseline_;
    const auto near = make_searcher(info.name, space, settings)->ask(2);
    ASSERT_EQ(near.size(), 2U) << info.name;
    EXPECT_EQ(near[0], settings.starts[0]) << info.name;
    EXPECT_EQ(changed(space, near[1]).size(), 1U) << info.name;
  }
}

}  // namespace
}  // namespace nightshift::search
