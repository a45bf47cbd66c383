// The contract in search/searcher.h, held against every searcher of the catalogue.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>
#include <string>

#include "base/rng.h"
#include "search/searcher_catalogue.h"

namespace nightshift::search {
namespace {

ParameterSpace constrained_space() {
  std::vector<Parameter> parameters;
  for (const char* name : {"a", "b", "c"}) {
    Parameter parameter;
    parameter.name = name;
    for (std::int64_t v = 0; v < 9; ++v) parameter.values.emplace_back(v);
    parameters.push_back(std::move(parameter));
  }
  return ParameterSpace(std::move(parameters), {Expression::parse("(a + b * c) % 3 != 1")});
}

std::uint64_t count_of(const ParameterSpace& space) {
  return static_cast<std::uint64_t>(space.size());
}

ParameterSpace recorded_space() {
  const ParameterSpace full = constrained_space();
  base::Rng rng(3);
  std::vector<Configuration> listed;
  for (std::uint64_t i = 0; i < full.size(); ++i) {
    if (rng.coin()) listed.push_back(full.configuration({i}));
  }
  rng.shuffle(listed);
  return ParameterSpace::from_list(full.parameters(), listed);
}

// 354,294 configurations of 12 parameters, too many to look at each.
ParameterSpace huge_space() {
  std::vector<Parameter> parameters;
  for (int k = 0; k < 12; ++k) {
    Parameter parameter;
    parameter.name = "p" + std::to_string(k);
    for (std::int64_t v = 0; v < 3; ++v) parameter.values.emplace_back(v);
    parameters.push_back(std::move(parameter));
  }
  return ParameterSpace(std::move(parameters), {Expression::parse("p0 + p1 >= 2")});
}

// Rugged, with failures: every fourth configuration or so has no score.
Observation observed(const ParameterSpace& space, ConfigurationIndex i) {
  const std::vector<std::uint32_t> d = space.digits(i);
  if ((d[0] * 5 + d[1] * 3 + d[2]) % 4 == 0) return {};
  const double x = d[0] - 5.0, y = d[1] - 2.0, z = d[2] - 6.0;
  return {Score{1 + 0.1 * (x * x + y * y + z * z) + 0.2 * std::sin(9.0 * (x + y * z)) + 0.3, 0.01}};
}

class SearcherContract : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Searcher> make(const ParameterSpace& space, std::uint64_t seed = 1) const {
    return make_searcher(GetParam(), space, {.seed = seed});
  }
};

// Asks in batches of changing size with up to `outstanding` tells due, told in random order.
std::vector<std::uint64_t> exhaust(Searcher& searcher, const ParameterSpace& space,
                                   std::size_t outstanding, std::uint64_t seed) {
  base::Rng rng(seed);
  std::vector<std::uint64_t> proposed;
  std::vector<ConfigurationIndex> due;
  for (bool more = true; more || !due.empty();) {
    const std::size_t room = outstanding - due.size();
    const std::size_t n = room == 0 ? 0 : 1 + rng.below(room);
    const std::vector<ConfigurationIndex> batch = searcher.ask(n);
    EXPECT_LE(batch.size(), n);
    more = n == 0 || batch.size() == n;
    for (const ConfigurationIndex i : batch) {
      proposed.push_back(static_cast<std::uint64_t>(i.value));
      due.push_back(i);
    }
    if (due.empty()) continue;
    std::swap(due[rng.below(due.size())], due.back());
    searcher.tell(due.back(), observed(space, due.back()));
    due.pop_back();
  }
  return proposed;
}

void expect_each_once(const std::vector<std::uint64_t>& proposed, std::uint64_t size) {
  EXPECT_EQ(proposed.size(), size);
  const std::set<std::uint64_t> distinct(proposed.begin(), proposed.end());
  EXPECT_EQ(distinct.size(), proposed.size());
  EXPECT_TRUE(distinct.empty() || *distinct.rbegin() < size);
}

TEST_P(SearcherContract, ProposesEachConfigurationExactlyOnce) {
  const ParameterSpace space = constrained_space();
  for (const std::size_t outstanding : {1U, 4U, 64U, 10'000U}) {
    const auto searcher = make(space);
    expect_each_once(exhaust(*searcher, space, outstanding, outstanding), count_of(space));
    EXPECT_TRUE(searcher->ask(5).empty());
  }
}

TEST_P(SearcherContract, WorksOnRecordedSpaces) {
  const ParameterSpace space = recorded_space();
  const auto searcher = make(space);
  expect_each_once(exhaust(*searcher, space, 8, 1), count_of(space));
}

TEST_P(SearcherContract, AsksWithoutAnyTellExhaustTheSpace) {
  const ParameterSpace space = constrained_space();
  const auto searcher = make(space);
  std::vector<std::uint64_t> proposed;
  for (;;) {
    const auto batch = searcher->ask(7);
    if (batch.empty()) break;
    for (const ConfigurationIndex i : batch)
      proposed.push_back(static_cast<std::uint64_t>(i.value));
  }
  expect_each_once(proposed, count_of(space));
}

TEST_P(SearcherContract, AsksForNothingGiveNothing) {
  const ParameterSpace space = constrained_space();
  EXPECT_TRUE(make(space)->ask(0).empty());
}

TEST_P(SearcherContract, SpaceOfOneConfiguration) {
  Parameter only;
  only.name = "only";
  only.values = {true};
  const ParameterSpace space({only}, {});
  const auto searcher = make(space);
  EXPECT_EQ(searcher->ask(3).size(), 1U);
  searcher->tell({0}, {Score{1, 0}});
  EXPECT_TRUE(searcher->ask(3).empty());
}

TEST_P(SearcherContract, WhatItWasToldOfIsNotProposed) {
  const ParameterSpace space = constrained_space();
  const auto searcher = make(space);
  std::set<std::uint64_t> told;
  for (std::uint64_t i = 0; i < space.size(); i += 3) {
    searcher->tell({i}, observed(space, {i}));
    told.insert(i);
  }
  const std::vector<std::uint64_t> proposed = exhaust(*searcher, space, 4, 5);
  EXPECT_EQ(proposed.size(), space.size() - told.size());
  for (const std::uint64_t i : proposed) EXPECT_FALSE(told.contains(i));
}

TEST_P(SearcherContract, BearsOnlyFailures) {
  const ParameterSpace space = constrained_space();
  const auto searcher = make(space);
  std::uint64_t count = 0;
  for (auto batch = searcher->ask(3); !batch.empty(); batch = searcher->ask(3)) {
    count += batch.size();
    for (const ConfigurationIndex i : batch) searcher->tell(i, {});
  }
  EXPECT_EQ(count, space.size());
}

TEST_P(SearcherContract, BearsTheSameTellTwice) {
  const ParameterSpace space = constrained_space();
  const auto searcher = make(space);
  const ConfigurationIndex first = searcher->ask(1).front();
  searcher->tell(first, {Score{0.5, 0}});
  searcher->tell(first, {Score{0.7, 0}});
  searcher->tell(first, {});
  EXPECT_EQ(exhaust(*searcher, space, 2, 1).size(), space.size() - 1);
}

TEST_P(SearcherContract, SameCallsGiveTheSameProposals) {
  const ParameterSpace space = constrained_space();
  const auto one = make(space, 42);
  const auto other = make(space, 42);
  EXPECT_EQ(exhaust(*one, space, 6, 9), exhaust(*other, space, 6, 9));
}

TEST_P(SearcherContract, RepeatingTheCallsRestoresIt) {
  const ParameterSpace space = constrained_space();
  const auto original = make(space, 7);
  original->tell({0}, {Score{1, 0}});
  std::deque<ConfigurationIndex> due;
  std::vector<ConfigurationIndex> told;
  for (int round = 0; round < 40; ++round) {
    for (const ConfigurationIndex i : original->ask(3)) due.push_back(i);
    while (due.size() > 5) {
      original->tell(due.front(), observed(space, due.front()));
      told.push_back(due.front());
      due.pop_front();
    }
  }
  const auto restored = make(space, 7);
  restored->tell({0}, {Score{1, 0}});
  std::size_t asked = 0;
  std::size_t next = 0;
  for (int round = 0; round < 40; ++round) {
    asked += restored->ask(3).size();
    for (; asked - next > 5; ++next) restored->tell(told[next], observed(space, told[next]));
  }
  EXPECT_EQ(next, told.size());
  EXPECT_EQ(original->ask(10), restored->ask(10));
}

TEST_P(SearcherContract, BearsCensoredScoresAndSeveralObjectives) {
  const ParameterSpace space = constrained_space();
  const auto searcher = make(space);
  base::Rng rng(8);
  std::vector<ConfigurationIndex> due;
  std::size_t count = 0;
  for (;;) {
    for (const ConfigurationIndex i : searcher->ask(64 - due.size())) due.push_back(i);
    if (due.empty()) break;
    std::swap(due[rng.below(due.size())], due.back());
    Observation observation = observed(space, due.back());
    if (observation.score) {
      observation.censored = rng.below(3) == 0;
      const Score other{3 - observation.score->value / 10, 0.02};
      if (count % 7 != 0) observation.objectives = {*observation.score, other};
    }
    searcher->tell(due.back(), observation);
    due.pop_back();
    ++count;
  }
  EXPECT_EQ(count, space.size());
}

TEST_P(SearcherContract, StartsComeFirst) {
  const ParameterSpace space = constrained_space();
  const auto outside = ConfigurationIndex{space.size()};
  SearcherSettings settings;
  settings.starts = {{17}, {3}, {17}, outside, {200}, {5}};
  const auto searcher = make_searcher(GetParam(), space, settings);
  searcher->tell({200}, {Score{1, 0}});
  const std::vector<ConfigurationIndex> first = {{17}, {3}};
  EXPECT_EQ(searcher->ask(2), first);
  const std::vector<ConfigurationIndex> next = searcher->ask(2);
  ASSERT_EQ(next.size(), 2U);
  EXPECT_EQ(next[0], ConfigurationIndex{5});
  std::vector<std::uint64_t> proposed = exhaust(*searcher, space, 4, 2);
  for (const std::uint64_t i : {17U, 3U, 5U}) proposed.push_back(i);
  proposed.push_back(static_cast<std::uint64_t>(next[1].value));
  EXPECT_EQ(proposed.size() + 1, space.size());
  EXPECT_EQ(std::set<std::uint64_t>(proposed.begin(), proposed.end()).size(), proposed.size());
}

// Every searcher begins with what an earlier study of the same space found: among its first
// proposals is one of the best of it.
TEST_P(SearcherContract, AnEarlierStudyIsHonoured) {
  const ParameterSpace space = constrained_space();
  SearcherSettings settings;
  std::vector<double> scores;
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    settings.earlier.push_back({{i}, observed(space, {i})});
    if (settings.earlier.back().observation.score) {
      scores.push_back(settings.earlier.back().observation.score->value);
    }
  }
  std::ranges::sort(scores);
  const auto searcher = make_searcher(GetParam(), space, settings);
  double best = scores.back();
  for (int i = 0; i < 5; ++i) {
    const ConfigurationIndex proposed = searcher->ask(1).front();
    const Observation observation = observed(space, proposed);
    if (observation.score) best = std::min(best, observation.score->value);
    searcher->tell(proposed, observation);
  }
  EXPECT_LE(best, scores[4]);
  EXPECT_EQ(exhaust(*searcher, space, 4, 2).size(), count_of(space) - 5);
}

TEST_P(SearcherContract, WorksWithHugeSpaces) {
  const ParameterSpace space = huge_space();
  const auto searcher = make(space);
  std::set<ConfigurationIndex> proposed;
  std::deque<ConfigurationIndex> due;
  for (int i = 0; i < 200; ++i) {
    for (const ConfigurationIndex next : searcher->ask(4 - std::min<std::size_t>(4, due.size()))) {
      EXPECT_TRUE(proposed.insert(next).second);
      due.push_back(next);
    }
    searcher->tell(due.front(), observed(space, due.front()));
    due.pop_front();
  }
  EXPECT_GE(proposed.size(), 200U);
}

std::vector<std::string> catalogue() {
  std::vector<std::string> names;
  for (const SearcherInfo& searcher : searcher_catalogue()) names.emplace_back(searcher.name);
  return names;
}

std::string case_name(const ::testing::TestParamInfo<std::string>& test) {
  std::string name = test.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, SearcherContract, ::testing::ValuesIn(catalogue()), case_name);

}  // namespace
}  // namespace nightshift::search
