#include "search/options/option_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace nightshift::search {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

struct Settings {
  std::size_t members = 10;
  double rate = 0.5;
  bool greedy = true;
};

OptionTable<Settings> table(const Settings& usual = {}) {
  return {usual,
          {{"members", &Settings::members, "how many", 2, 100},
           {"rate", &Settings::rate, "how often", 0, 1},
           {"greedy", &Settings::greedy, "whether"}}};
}

TEST(OptionTable, DescribesItsRows) {
  const std::vector<SearcherOption> options = table().described();
  ASSERT_THAT(options, SizeIs(3));
  EXPECT_EQ(options[0].name, "members");
  EXPECT_EQ(options[0].kind, SearcherOption::Kind::kCount);
  EXPECT_EQ(options[0].usual, Value(std::int64_t{10}));
  EXPECT_EQ(options[0].least, 2);
  EXPECT_EQ(options[0].most, 100);
  EXPECT_EQ(options[1].kind, SearcherOption::Kind::kNumber);
  EXPECT_EQ(options[1].usual, Value(0.5));
  EXPECT_EQ(options[2].kind, SearcherOption::Kind::kTruth);
  EXPECT_EQ(options[2].usual, Value(true));
}

TEST(OptionTable, SetsWhatIsGivenAndLeavesTheRest) {
  const Settings settings = table({.members = 7}).with({{"rate", std::int64_t{1}}});
  EXPECT_EQ(settings.members, 7U);
  EXPECT_EQ(settings.rate, 1);
  EXPECT_TRUE(settings.greedy);
  EXPECT_FALSE(table().with({{"greedy", false}}).greedy);
  EXPECT_EQ(table().with({{"members", std::int64_t{3}}}).members, 3U);
}

TEST(SearcherOption, TakesItsKindWithinItsBounds) {
  const std::vector<SearcherOption> options = table().described();
  const SearcherOption &members = options[0], &rate = options[1], &greedy = options[2];
  EXPECT_TRUE(takes(members, std::int64_t{2}));
  EXPECT_TRUE(takes(members, std::int64_t{100}));
  EXPECT_FALSE(takes(members, std::int64_t{1}));
  EXPECT_FALSE(takes(members, std::int64_t{101}));
  EXPECT_FALSE(takes(members, 3.0));
  EXPECT_FALSE(takes(members, true));
  EXPECT_TRUE(takes(rate, 0.25));
  EXPECT_TRUE(takes(rate, std::int64_t{1}));
  EXPECT_FALSE(takes(rate, 1.5));
  EXPECT_FALSE(takes(rate, std::string("0.5")));
  EXPECT_TRUE(takes(greedy, false));
  EXPECT_FALSE(takes(greedy, std::int64_t{0}));
}

TEST(SearcherOption, WhatIsNoneOrDoesNotFitIsRefusedByName) {
  const auto refused = [](const GivenOptions& given) -> std::string {
    try {
      check_options("genetic", table().described(), given);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refused({{"members", std::int64_t{5}}, {"greedy", false}}), "");
  EXPECT_THAT(refused({{"member", std::int64_t{5}}}),
              HasSubstr("'genetic' has no option 'member'"));
  EXPECT_THAT(refused({{"members", std::int64_t{1}}}), HasSubstr("'members'"));
}

}  // namespace
}  // namespace nightshift::search
