// The options of every searcher of the catalogue: defaults that change nothing, and bounds within
// which the contract of search/searcher.h holds.

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <string>

#include "search/searcher_catalogue.h"

namespace nightshift::search {
namespace {

ParameterSpace small_space() {
  std::vector<Parameter> parameters;
  for (const char* name : {"TILE", "UNROLL", "WARPS"}) {
    Parameter parameter;
    parameter.name = name;
    for (std::int64_t v = 1; v <= 32; v *= 2) parameter.values.emplace_back(v);
    parameters.push_back(std::move(parameter));
  }
  parameters.push_back({"MODE",
                        ParameterType::kString,
                        {std::string("a"), std::string("b"), std::string("c")},
                        {},
                        {}});
  return ParameterSpace(std::move(parameters), {Expression::parse("TILE * UNROLL <= 256")});
}

Observation observed(const ParameterSpace& space, ConfigurationIndex i) {
  const std::vector<std::uint32_t> d = space.digits(i);
  if ((d[0] + 2 * d[1] + d[2]) % 7 == 0) return {};
  const double x = d[0] - 3.0, y = d[1] - 1.0;
  return {Score{1 + 0.1 * (x * x + y * y) + 0.05 * std::sin(5.0 * d[2] + d[3]), 0.01}};
}

// Told of each before the next but one.
std::vector<ConfigurationIndex> proposals(Searcher& searcher, const ParameterSpace& space,
                                          std::size_t count) {
  std::vector<ConfigurationIndex> all;
  while (all.size() < count) {
    const std::vector<ConfigurationIndex> next = searcher.ask(2);
    for (const ConfigurationIndex i : next) searcher.tell(i, observed(space, i));
    all.insert(all.end(), next.begin(), next.end());
    if (next.size() < 2) break;
  }
  return all;
}

Value bound_of(const SearcherOption& option, bool most) {
  if (option.kind == SearcherOption::Kind::kTruth) return most;
  const double bound = most ? option.most : option.least;
  if (option.kind == SearcherOption::Kind::kCount) return static_cast<std::int64_t>(bound);
  return bound;
}

class SearcherOptionsOf : public ::testing::TestWithParam<std::string> {
 protected:
  const std::vector<SearcherOption>& options() const { return find_searcher(GetParam())->options; }
  std::vector<ConfigurationIndex> propose(const GivenOptions& given, std::size_t count) const {
    SearcherSettings settings;
    settings.seed = 3;
    settings.options = given;
    settings.baseline = ConfigurationIndex{std::uint64_t{0}};
    return proposals(*make_searcher(GetParam(), space_, settings), space_, count);
  }
  ParameterSpace space_ = small_space();
};

TEST_P(SearcherOptionsOf, HaveNamesMeaningsAndAUsualValueWithinBounds) {
  std::set<std::string_view> names;
  for (const SearcherOption& option : options()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_FALSE(option.meaning.empty()) << option.name;
    EXPECT_TRUE(takes(option, option.usual)) << option.name;
    if (option.kind != SearcherOption::Kind::kTruth) {
      EXPECT_LT(option.least, option.most) << option.name;
    }
  }
}

TEST_P(SearcherOptionsOf, AsUsualChangeNothing) {
  GivenOptions given;
  for (const SearcherOption& option : options()) {
    given.emplace_back(std::string(option.name), option.usual);
  }
  EXPECT_EQ(propose(given, 120), propose({}, 120));
}

TEST_P(SearcherOptionsOf, AtTheirBoundsKeepTheContract) {
  for (const SearcherOption& option : options()) {
    for (const bool most : {false, true}) {
      const auto all = propose({{std::string(option.name), bound_of(option, most)}}, 40);
      EXPECT_EQ(std::set(all.begin(), all.end()).size(), 40U) << option.name << " " << most;
    }
  }
}

TEST_P(SearcherOptionsOf, AllAtTheirLeastOrMostKeepTheContract) {
  for (const bool most : {false, true}) {
    GivenOptions given;
    for (const SearcherOption& option : options()) {
      // Each alone at its most takes its time; together they would take the product of it.
      const bool is_large = most && option.most > 100;
      given.emplace_back(std::string(option.name),
                         is_large ? option.usual : bound_of(option, most));
    }
    const auto all = propose(given, 60);
    EXPECT_EQ(std::set(all.begin(), all.end()).size(), 60U) << most;
  }
}

TEST_P(SearcherOptionsOf, OfAnotherSearcherAreRefused) {
  EXPECT_THROW(propose({{"no_such_option", std::int64_t{1}}}, 1), std::invalid_argument);
}

TEST_P(SearcherOptionsOf, StartsAloneAreAllThatIsProposed) {
  SearcherSettings settings;
  settings.starts = {{3}, {1}};
  settings.earlier = {{{5}, {Score{0.5, 0}}}};
  settings.starts_only = true;
  const auto searcher = make_searcher(GetParam(), space_, settings);
  EXPECT_EQ(searcher->ask(10), settings.starts);
  searcher->tell({3}, {Score{0.9, 0}});
  EXPECT_TRUE(searcher->ask(1).empty());
  settings.starts.clear();
  EXPECT_TRUE(make_searcher(GetParam(), space_, settings)->ask(1).empty());
}

// As a study of the starts alone goes on: the calls are repeated, and the search follows.
TEST_P(SearcherOptionsOf, StartsComeFirstAsTheyDoAlone) {
  SearcherSettings settings;
  settings.starts = {{3}, {1}};
  const auto searcher = make_searcher(GetParam(), space_, settings);
  EXPECT_EQ(searcher->ask(1).front(), settings.starts[0]);
  EXPECT_EQ(searcher->ask(1).front(), settings.starts[1]);
  EXPECT_EQ(searcher->ask(1).size(), 1U);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const SearcherInfo& info : searcher_catalogue()) all.emplace_back(info.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, SearcherOptionsOf, ::testing::ValuesIn(names()), [](const auto& its) {
  std::string name = its.param;
  std::erase(name, '-');
  return name;
});

TEST(SearcherOptions, AreManyOverTheCatalogue) {
  std::set<std::pair<std::string_view, std::string_view>> kinds;
  for (const SearcherInfo& info : searcher_catalogue()) {
    for (const SearcherOption& option : info.options) kinds.insert({option.name, option.meaning});
  }
  EXPECT_GE(kinds.size(), 60U);
}

TEST(SearcherOptions, ChangeWhatIsProposed) {
  const ParameterSpace space = small_space();
  const auto propose = [&](const char* searcher, const GivenOptions& given) {
    return proposals(*make_searcher(searcher, space, {.seed = 1, .options = given}), space, 60);
  };
  const std::pair<const char*, GivenOptions> cases[] = {
      {"genetic", {{"population", std::int64_t{40}}}},
      {"genetic", {{"crossover", 0.0}}},
      {"annealing", {{"changes", std::int64_t{3}}}},
      {"hill-climbing", {{"samples", std::int64_t{2}}}},
      {"particle-swarm", {{"inertia", 0.1}}},
      {"differential-evolution", {{"crossover", 0.1}}},
      {"pattern", {{"samples", std::int64_t{20}}}},
      {"auto", {{"start_trials", std::int64_t{20}}}},
      {"auto", {{"optimistic", true}}},
      {"lfbo-pattern", {{"trees", std::int64_t{3}}}},
      {"tpe", {{"candidates", std::int64_t{3}}}},
      {"low-discrepancy", {{"uniform_every", std::int64_t{0}}}},
      {"lfbo-tree-published", {{"initial_population", std::int64_t{10}}}},
  };
  for (const auto& [searcher, given] : cases) {
    EXPECT_NE(propose(searcher, given), propose(searcher, {})) << searcher << given.front().first;
  }
}

}  // namespace
}  // namespace nightshift::search
