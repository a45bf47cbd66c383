// Three searchers of one model: what its settings make of each.

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "search/searchers/searchers.h"

namespace nightshift::search {
namespace {

Value usual(const std::vector<SearcherOption>& options, std::string_view name) {
  const auto found = std::ranges::find(options, name, &SearcherOption::name);
  EXPECT_NE(found, options.end()) << name;
  return found == options.end() ? Value(false) : found->usual;
}

TEST(GaussianProcessSearchers, HaveTheSameOptionsWithDefaultsOfTheirOwn) {
  const std::vector<SearcherOption> all[] = {auto_options(), gaussian_process_options(),
                                             ucb_pattern_options()};
  for (const auto& options : all) {
    ASSERT_EQ(options.size(), all[0].size());
    for (std::size_t i = 0; i < options.size(); ++i) EXPECT_EQ(options[i].name, all[0][i].name);
  }
  EXPECT_EQ(usual(all[0], "roles"), Value(true));  // what usually works on hardware
  EXPECT_EQ(usual(all[1], "roles"), Value(false));
  EXPECT_EQ(usual(all[1], "optimistic"), Value(false));
  EXPECT_EQ(usual(all[2], "optimistic"), Value(true));
  EXPECT_EQ(usual(all[2], "only_neighbours"), Value(true));
}

TEST(GaussianProcessSearchers, DoWhatAnOptionSays) {
  std::vector<Parameter> parameters;
  for (const char* name : {"A", "B"}) {
    Parameter parameter;
    parameter.name = name;
    for (std::int64_t v = 1; v <= 1024; v *= 2) parameter.values.emplace_back(v);
    parameters.push_back(std::move(parameter));
  }
  const ParameterSpace space(std::move(parameters), {});
  SearcherSettings settings;
  const auto first = make_ucb_pattern_searcher(space, settings)->ask(20);
  EXPECT_EQ(make_ucb_pattern_searcher(space, settings)->ask(20), first);
  settings.options = {{"start_candidates", std::int64_t{1}}};  // drawn, and no longer spread
  EXPECT_NE(make_ucb_pattern_searcher(space, settings)->ask(20), first);
}

}  // namespace
}  // namespace nightshift::search
