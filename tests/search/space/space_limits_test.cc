// What a user can ask for: too much, in conflict with itself, or what cannot be evaluated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <set>
#include <string>

#include "search/model/unseen.h"
#include "search/parameter_space.h"
#include "search/searcher_catalogue.h"

namespace nightshift::search {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Parameter counted(std::string name, int count) {
  Parameter parameter;
  parameter.name = std::move(name);
  for (int v = 0; v < count; ++v) parameter.values.emplace_back(std::int64_t{v});
  return parameter;
}

std::vector<Parameter> many(int count, int values) {
  std::vector<Parameter> parameters;
  for (int k = 0; k < count; ++k) parameters.push_back(counted("p" + std::to_string(k), values));
  return parameters;
}

std::vector<Expression> constraints(std::initializer_list<std::string> texts) {
  std::vector<Expression> parsed;
  for (const std::string& text : texts) parsed.push_back(Expression::parse(text));
  return parsed;
}

std::string error_of(std::vector<Parameter> parameters, std::initializer_list<std::string> texts,
                     const SpaceLimits& limits = {}) {
  try {
    const ParameterSpace space(std::move(parameters), constraints(texts), limits);
  } catch (const SpaceError& error) {
    return error.what();
  }
  return "no error";
}

// p0*p1 + p2*p3 + ..., of which no part folds into few numbers that matter.
std::string hash_like(int parameters) {
  std::string text = "(";
  for (int k = 0; k < parameters; ++k) {
    text += (k == 0 ? "" : " + ") + std::to_string(1000003 * (k + 1) % 7919 + 1) + " * p" +
            std::to_string(k) + " ** " + std::to_string(2 + k % 3);
  }
  return text + ") % 7919 < 40";
}

ParameterSpace dense_space() {
  return {many(12, 40),
          constraints({hash_like(12), "p0 < p1", "p2 % 2 == p3 % 2"}),
          {.bytes = 1 << 20, .transitions = 1 << 16}};
}

bool satisfies(const ParameterSpace& space, ConfigurationIndex i) {
  const Configuration c = space.configuration(i);
  for (const Expression& constraint : space.constraints()) {
    if (!constraint.holds([&](std::string_view name) { return c.find(name); })) return false;
  }
  return true;
}

TEST(UncountedSpace, SaysSoAndBoundsItsSize) {
  const ParameterSpace space = dense_space();
  EXPECT_FALSE(space.counted());
  EXPECT_LE(static_cast<double>(space.size()), space.cartesian_size());
  EXPECT_GT(space.size(), base::Wide{1} << 60);
}

TEST(UncountedSpace, SamplesAreValidAndDiffer) {
  const ParameterSpace space = dense_space();
  base::Rng rng(1);
  std::set<ConfigurationIndex> seen;
  for (int n = 0; n < 100; ++n) {
    const ConfigurationIndex i = space.sample(rng);
    ASSERT_TRUE(satisfies(space, i));
    ASSERT_TRUE(space.contains(i));
    ASSERT_EQ(space.index_of_digits(space.digits(i)), i);
    seen.insert(i);
  }
  EXPECT_GT(seen.size(), 90U);
}

TEST(UncountedSpace, InvalidPositionsAreNotContained) {
  const ParameterSpace space = dense_space();
  base::Rng rng(2);
  int invalid = 0;
  for (int n = 0; n < 200; ++n) {
    const ConfigurationIndex i{rng.below_wide(space.size())};
    ASSERT_EQ(space.contains(i), satisfies(space, i));
    ASSERT_EQ(space.index_of(space.configuration(i)).has_value(), space.contains(i));
    invalid += space.contains(i) ? 0 : 1;
  }
  EXPECT_GT(invalid, 150);
}

TEST(UncountedSpace, NeighboursAreValid) {
  const ParameterSpace space = dense_space();
  base::Rng rng(3);
  for (int n = 0; n < 10; ++n) {
    const ConfigurationIndex i = space.sample(rng);
    for (const ConfigurationIndex j :
         space.neighbours(i, ParameterSpace::Neighbourhood::kOneParameter)) {
      ASSERT_TRUE(satisfies(space, j));
    }
  }
}

TEST(UncountedSpace, EverySearcherProposesValidConfigurationsOnce) {
  const ParameterSpace space = dense_space();
  for (const SearcherInfo& info : searcher_catalogue()) {
    const auto searcher = make_searcher(info.name, space, {});
    std::set<ConfigurationIndex> seen;
    for (int n = 0; n < 40; ++n) {
      for (const ConfigurationIndex i : searcher->ask(1)) {
        ASSERT_TRUE(space.contains(i)) << info.name;
        ASSERT_TRUE(seen.insert(i).second) << info.name;
        searcher->tell(i, {.score = Score{1.0 + 0.001 * n, 0}});
      }
    }
    EXPECT_EQ(seen.size(), 40U) << info.name;
  }
}

TEST(UncountedSpace, ASmallOneIsDrawnUntilLittleIsLeft) {
  // Nine of 27 are valid.
  const ParameterSpace space(many(3, 3), constraints({"(p0 + p1 + p2) % 3 == 0"}),
                             {.transitions = 0});
  ASSERT_FALSE(space.counted());
  Unseen unseen(space);
  base::Rng rng(4);
  std::set<ConfigurationIndex> seen;
  while (const auto i = unseen.draw(rng)) seen.insert(*i);
  EXPECT_EQ(seen.size(), 9U);
}

TEST(SpaceLimits, WhatHasNoEndIsGivenUp) {
  const ParameterSpace space(many(16, 64), constraints({hash_like(16)}), {.transitions = 1 << 18});
  EXPECT_FALSE(space.counted());
  base::Rng rng(5);
  EXPECT_TRUE(satisfies(space, space.sample(rng)));
}

TEST(SpaceLimits, DearExpressionsAreNotEvaluatedForEveryCombination) {
  const ParameterSpace space(many(3, 100),
                             constraints({"p0 + p1 <= max([i * p2 for i in range(2000)])"}),
                             {.interpreter_steps = 1 << 20});
  EXPECT_FALSE(space.counted());
}

TEST(SpaceLimits, LongChainsNeedNoDeepStack) {
  std::string chain = "0.5";
  for (int k = 0; k < 20'000; ++k) chain += " - p" + std::to_string(k % 3) + " * 0.001";
  EXPECT_GT(ParameterSpace(many(3, 4), constraints({chain + " < 0.5"})).size(), 0U);
}

TEST(SpaceLimits, MoreThanAnIndexCanHoldIsRefused) {
  EXPECT_THAT(error_of(many(64, 4), {}), HasSubstr("more than 2^128 configurations"));
  EXPECT_THAT(error_of(many(64, 4), {"p0 < p1"}), "no error");
  EXPECT_THAT(error_of(many(70, 4), {hash_like(70)}, {.transitions = 0}),
              HasSubstr("more than 2^128 combinations"));
}

TEST(SpaceLimits, ManyGroupsAreNotMultipliedOut) {
  const ParameterSpace space(many(40, 8), constraints({"p0 < p1", "p2 < p3", "p38 != p39"}));
  EXPECT_TRUE(space.counted());
  base::Wide expected = base::Wide{28} * 28 * 56;
  for (int k = 0; k < 34; ++k) expected *= 8;
  EXPECT_EQ(space.size(), expected);
  base::Rng rng(6);
  for (int n = 0; n < 100; ++n) {
    const ConfigurationIndex i = space.sample(rng);
    ASSERT_EQ(space.index_of(space.configuration(i)), i);
  }
}

TEST(SpaceLimits, TheNumberOfThreadsChangesNothing) {
  // Layers of a hundred thousand states, which are expanded in parallel.
  const auto build = [](std::size_t threads) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    return ParameterSpace(
        many(5, 16),
        constraints(
            {"(p0*7919 + p1*104729 + p2*1299709 + p3*15485863 + p4*32452843) % 65537 < 30000"}));
  };
  const ParameterSpace one = build(1);
  const ParameterSpace four = build(4);
  ASSERT_TRUE(one.counted());
  ASSERT_EQ(one.size(), four.size());
  base::Rng rng(7);
  for (int n = 0; n < 1000; ++n) {
    const ConfigurationIndex i = one.sample(rng);
    ASSERT_EQ(one.digits(i), four.digits(i));
    ASSERT_TRUE(satisfies(one, i));
  }
}

TEST(SpaceFailures, APartThatCannotBeEvaluatedDoesNotMatterWhereAnotherIsFalse) {
  Parameter kind = counted("kind", 3);
  kind.values.emplace_back(std::string("auto"));
  const Parameter other = counted("other", 3);
  EXPECT_EQ(error_of({kind, other}, {"kind != 'auto'", "kind + other > 2"}), "no error");
  EXPECT_EQ(error_of({kind, other}, {"kind + other > 2", "kind != 'auto'"}), "no error");
  EXPECT_EQ(error_of({kind, other}, {"kind == 'auto' or kind + other > 2"}), "no error");
  EXPECT_THAT(error_of({kind, other}, {"other > 0", "kind + other > 2"}),
              AllOf(HasSubstr("'kind + other > 2' cannot be evaluated for {"),
                    HasSubstr("\"kind\": \"auto\"")));
}

TEST(SpaceFailures, NamesWhatExcludedMost) {
  EXPECT_THAT(error_of(many(2, 10), {"p0 + p1 >= 1", "p0 * p1 > 60", "p0 + p1 < 15"}),
              HasSubstr("the one that excluded most is 'p0 * p1 > 60'"));
}

TEST(SpaceFailures, AConditionIsNotBlamed) {
  Parameter held = counted("held", 3);
  held.active_when = Expression::parse("p0 > 100");
  EXPECT_THAT(error_of({counted("p0", 3), held}, {"held == 2", "p0 >= 0"}),
              HasSubstr("no configuration satisfies all the constraints together"));
}

TEST(SpaceFailures, UncountedAndWithoutAnythingValid) {
  EXPECT_THAT(
      error_of(many(5, 40), {hash_like(5), "p0 * p1 * p2 % 9973 == 9972"}, {.transitions = 0}),
      HasSubstr("none of the configurations tried satisfies all the constraints"));
}

}  // namespace
}  // namespace nightshift::search
