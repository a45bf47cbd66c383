#include "search/parameter_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace nightshift::search {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Parameter integers(std::string name, std::initializer_list<int> values) {
  Parameter parameter;
  parameter.name = std::move(name);
  for (const int v : values) parameter.values.emplace_back(std::int64_t{v});
  return parameter;
}

Parameter counted(std::string name, int count) {
  Parameter parameter;
  parameter.name = std::move(name);
  for (int v = 0; v < count; ++v) parameter.values.emplace_back(std::int64_t{v});
  return parameter;
}

std::vector<Expression> constraints(std::initializer_list<const char*> texts) {
  std::vector<Expression> parsed;
  for (const char* text : texts) parsed.push_back(Expression::parse(text));
  return parsed;
}

std::vector<std::string> all_of(const ParameterSpace& space) {
  std::vector<std::string> configurations;
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    configurations.push_back(space.configuration({i}).to_json());
  }
  return configurations;
}

std::vector<std::uint64_t> values_of(const std::vector<ConfigurationIndex>& indices) {
  std::vector<std::uint64_t> values;
  for (const ConfigurationIndex i : indices) values.push_back(static_cast<std::uint64_t>(i.value));
  return values;
}

TEST(ParameterSpace, WithoutConstraintsItIsTheProductInLexicographicOrder) {
  const ParameterSpace space({integers("a", {1, 2}), integers("b", {3, 4})}, {});
  EXPECT_EQ(space.size(), 4U);
  EXPECT_EQ(space.cartesian_size(), 4);
  EXPECT_THAT(all_of(space), ElementsAre(R"({"a": 1, "b": 3})", R"({"a": 1, "b": 4})",
                                         R"({"a": 2, "b": 3})", R"({"a": 2, "b": 4})"));
}

TEST(ParameterSpace, ConstraintsExclude) {
  const ParameterSpace space(
      {integers("a", {1, 2, 3}), integers("b", {1, 2, 3}), integers("c", {0, 1})},
      constraints({"b % a == 0", "a + b + c <= 4", "1 < 2"}));
  EXPECT_THAT(all_of(space),
              ElementsAre(R"({"a": 1, "b": 1, "c": 0})", R"({"a": 1, "b": 1, "c": 1})",
                          R"({"a": 1, "b": 2, "c": 0})", R"({"a": 1, "b": 2, "c": 1})",
                          R"({"a": 1, "b": 3, "c": 0})", R"({"a": 2, "b": 2, "c": 0})"));
  EXPECT_EQ(space.constraints().size(), 3U);
}

TEST(ParameterSpace, EveryIndexIsFoundAgain) {
  const ParameterSpace space({counted("a", 7), counted("b", 300), counted("c", 3)},
                             constraints({"(a * b + c) % 5 == 1"}));
  ASSERT_GT(space.size(), 1000U);
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    EXPECT_EQ(space.index_of(space.configuration({i})), ConfigurationIndex{i});
    EXPECT_EQ(space.index_of_digits(space.digits({i})), ConfigurationIndex{i});
  }
}

TEST(ParameterSpace, LongListsNeedMoreThanAByte) {
  const ParameterSpace space({counted("a", 70'000), counted("b", 3)},
                             constraints({"a % 1000 == 999"}));
  EXPECT_EQ(space.size(), 210U);
  EXPECT_EQ(space.configuration({209}).to_json(), R"({"a": 69999, "b": 2})");
  EXPECT_EQ(space.index_of(space.configuration({100})), ConfigurationIndex{100});
}

TEST(ParameterSpace, WhatIsNotInItHasNoIndex) {
  const ParameterSpace space({integers("a", {1, 2}), integers("b", {1, 2})},
                             constraints({"a != b"}));
  const auto index = [&](std::vector<Configuration::Entry> entries) {
    return space.index_of(Configuration(std::move(entries)));
  };
  const Value one = std::int64_t{1};
  const Value two = std::int64_t{2};
  EXPECT_EQ(index({{"b", 1.0}, {"a", two}}),
            ConfigurationIndex{1});                          // any order, Python's equality
  EXPECT_EQ(index({{"a", one}, {"b", one}}), std::nullopt);  // excluded
  EXPECT_EQ(index({{"a", one}}), std::nullopt);
  EXPECT_EQ(index({{"a", one}, {"b", std::string("2")}}), std::nullopt);
  EXPECT_EQ(index({{"a", one}, {"b", two}, {"c", two}}), std::nullopt);
  EXPECT_EQ(index({}), std::nullopt);
  EXPECT_EQ(space.index_of_digits(std::vector<std::uint32_t>{0, 7}), std::nullopt);
  EXPECT_EQ(space.index_of_digits(std::vector<std::uint32_t>{0}), std::nullopt);
  EXPECT_EQ(space.index_of_digits(std::vector<std::uint32_t>{0, 256}), std::nullopt);
}

TEST(ParameterSpace, ConditionalParameterIsHeldAtItsDefault) {
  Parameter distance = integers("distance", {32, 64, 128});
  distance.default_value = std::int64_t{64};
  distance.active_when = Expression::parse("prefetch");
  Parameter prefetch{"prefetch", ParameterType::kBool, {false, true}, {}, {}};
  const std::vector<std::string> expected = {
      R"({"distance": 64, "prefetch": false})", R"({"distance": 32, "prefetch": true})",
      R"({"distance": 64, "prefetch": true})", R"({"distance": 128, "prefetch": true})"};
  EXPECT_THAT(all_of(ParameterSpace({distance, prefetch}, {})),
              ::testing::UnorderedElementsAreArray(expected));
  EXPECT_EQ(ParameterSpace({prefetch, distance}, {}).size(), 4U);
  EXPECT_EQ(ParameterSpace({prefetch, distance}, constraints({"distance < 100"})).size(), 3U);
}

TEST(ParameterSpace, ConstantConditionHoldsOrNot) {
  Parameter a = integers("a", {1, 2, 3});
  a.active_when = Expression::parse("False");
  EXPECT_EQ(ParameterSpace({a}, {}).size(), 1U);
}

TEST(ParameterSpace, ConstraintsOverManyCombinationsAreNotRemembered) {
  // 3 * 1000 * 1000 combinations: beyond what is kept of answers.
  const ParameterSpace space({counted("a", 1000), counted("b", 1000), counted("c", 3)},
                             constraints({"a == 49", "a + b + c == 100"}));
  EXPECT_THAT(all_of(space),
              ElementsAre(R"({"a": 49, "b": 49, "c": 2})", R"({"a": 49, "b": 50, "c": 1})",
                          R"({"a": 49, "b": 51, "c": 0})"));
}

TEST(ParameterSpace, SamplesAreUniformOverTheValidOnes) {
  const ParameterSpace space({counted("a", 5), counted("b", 5)}, constraints({"a + b == 4"}));
  ASSERT_EQ(space.size(), 5U);
  base::Rng rng(9);
  std::vector<int> counts(5);
  for (int i = 0; i < 5000; ++i) ++counts.at(static_cast<std::size_t>(space.sample(rng).value));
  for (const int count : counts) EXPECT_NEAR(count, 1000, 120);
}

TEST(ParameterSpace, AdjacentNeighboursSkipInvalidValues) {
  // Rows: a=0: b 0,2,4   a=1: b 1,3   a=2: b 0,2,4
  const ParameterSpace space({counted("a", 3), counted("b", 5)}, constraints({"(a + b) % 2 == 0"}));
  using Kind = ParameterSpace::Neighbourhood;
  EXPECT_THAT(all_of(space), ::testing::SizeIs(8));
  const auto at = [&](std::uint32_t a, std::uint32_t b) {
    return *space.index_of_digits(std::vector<std::uint32_t>{a, b});
  };
  EXPECT_THAT(space.neighbours(at(0, 2), Kind::kAdjacent),
              ElementsAre(at(2, 2), at(0, 0), at(0, 4)));
  EXPECT_THAT(space.neighbours(at(0, 0), Kind::kAdjacent), ElementsAre(at(2, 0), at(0, 2)));
  EXPECT_THAT(space.neighbours(at(0, 0), Kind::kOneParameter),
              ElementsAre(at(2, 0), at(0, 2), at(0, 4)));
}

TEST(ParameterSpace, LonelyConfigurationHasNoNeighbours) {
  const ParameterSpace space({counted("a", 3), counted("b", 3)}, constraints({"a + b == 4"}));
  using Kind = ParameterSpace::Neighbourhood;
  EXPECT_THAT(space.neighbours({0}, Kind::kAdjacent), IsEmpty());
  EXPECT_THAT(space.neighbours({0}, Kind::kOneParameter), IsEmpty());
}

TEST(ParameterSpace, ListKeepsItsOrder) {
  const std::vector<Configuration> listed = {
      Configuration({{"a", std::int64_t{2}}, {"b", std::int64_t{1}}}),
      Configuration({{"b", std::int64_t{2}}, {"a", std::int64_t{1}}}),
      Configuration({{"a", std::int64_t{1}}, {"b", std::int64_t{1}}})};
  const ParameterSpace space =
      ParameterSpace::from_list({integers("a", {1, 2}), integers("b", {1, 2})}, listed);
  EXPECT_EQ(space.size(), 3U);
  EXPECT_THAT(all_of(space),
              ElementsAre(R"({"a": 2, "b": 1})", R"({"a": 1, "b": 2})", R"({"a": 1, "b": 1})"));
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(space.index_of(listed[i]), ConfigurationIndex{i});
  EXPECT_EQ(space.index_of_digits(std::vector<std::uint32_t>{1, 1}), std::nullopt);
  EXPECT_THAT(values_of(space.neighbours({2}, ParameterSpace::Neighbourhood::kAdjacent)),
              ElementsAre(0, 1));
}

TEST(ParameterSpace, AListWithFreeParametersIsTheirProduct) {
  const std::vector<Configuration> listed = {Configuration({{"a", std::int64_t{2}}}),
                                             Configuration({{"a", std::int64_t{3}}})};
  const ParameterSpace space = ParameterSpace::from_list(
      {integers("a", {1, 2, 3})}, listed, {integers("b", {5, 6}), integers("c", {7, 8, 9})});
  EXPECT_EQ(space.size(), 12U);
  EXPECT_EQ(space.configuration({0}).to_json(), R"({"a": 2, "b": 5, "c": 7})");
  EXPECT_EQ(space.configuration({1}).to_json(), R"({"a": 2, "b": 5, "c": 8})");
  EXPECT_EQ(space.configuration({11}).to_json(), R"({"a": 3, "b": 6, "c": 9})");
  for (std::uint64_t i = 0; i < 12; ++i) {
    EXPECT_EQ(space.index_of(space.configuration({i})), ConfigurationIndex{i});
  }
  EXPECT_EQ(space.index_of_digits(std::vector<std::uint32_t>{0, 0, 0}), std::nullopt);
  EXPECT_THAT(values_of(space.neighbours({0}, ParameterSpace::Neighbourhood::kOneParameter)),
              ElementsAre(6, 3, 1, 2));
}

TEST(ParameterSpace, CanBeMoved) {
  ParameterSpace space({integers("a", {1, 2})}, {});
  const ParameterSpace moved = std::move(space);
  EXPECT_EQ(moved.size(), 2U);
  EXPECT_EQ(moved.parameters().front().name, "a");
}

// Chains that are longer than what is folded into one term; each of their beginnings was one, as long
// as itself.
TEST(ParameterSpace, LongSumsAndProductsMeanWhatTheySay) {
  for (const int terms : {255, 256, 257, 600, 20'000}) {
    std::string sum = "a", product = "a - a + 1";
    for (int i = 1; i < terms; ++i) sum += i % 2 == 0 ? " + b" : " + a";
    for (int i = 0; i < std::min(terms, 600); ++i) product += " * (b // b)";
    const int of_a = terms - (terms - 1) / 2, of_b = (terms - 1) / 2;
    const std::string bound = std::to_string(3 * of_a + 2 * of_b);
    const ParameterSpace space(
        {counted("a", 8), integers("b", {1, 2})},
        constraints({(sum + " >= " + bound).c_str(), (product + " == 1").c_str()}));
    std::uint64_t expected = 0;
    for (int a = 0; a < 8; ++a) {
      for (const int b : {1, 2}) expected += a * of_a + b * of_b >= 3 * of_a + 2 * of_b ? 1 : 0;
    }
    EXPECT_EQ(space.size(), expected) << terms;
  }
}

}  // namespace
}  // namespace nightshift::search
