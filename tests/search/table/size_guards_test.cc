#include "search/table/size_guards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<Configuration> kCandidates{
    {},
    Configuration({{"V", std::int64_t{48}}, {"OPT", std::string("a")}, {"FAST", true}}),
    Configuration({{"V", std::int64_t{1}}, {"OPT", std::string("b")}, {"FAST", false}})};

std::vector<SizeCondition> conditions(const std::vector<ConstrainedShape>& shapes,
                                      std::size_t candidate = 1) {
  return guards_of(shapes, kCandidates)[candidate].conditions;
}

TEST(SizeGuards, FindTheSizesThatConstraintsHadByTheirNumbers) {
  const std::vector<ConstrainedShape> shapes = {
      {{{"M", 64}, {"N", 960}}, {"V >= 1", "960 % V == 0", "64 * 2 <= 960 or not FAST"}},
      {{{"M", 128}, {"N", 1920}}, {"V >= 1", "1920 % V == 0", "128 * 2 <= 1920 or not FAST"}}};
  EXPECT_THAT(conditions(shapes),
              ElementsAre(SizeCondition{"N % V == 0", "N % 48 == 0"},
                          SizeCondition{"M * 2 <= N or not FAST", "M * 2 <= N or not True"}));
  EXPECT_THAT(conditions(shapes, 0), IsEmpty()) << "the default is what there was";
}

TEST(SizeGuards, WhereTwoSizesAreAlwaysAlikeTheyStaySo) {
  const std::vector<ConstrainedShape> shapes = {{{{"M", 96}, {"N", 96}}, {"96 % V == 0"}},
                                                {{{"M", 192}, {"N", 192}}, {"192 % V == 0"}}};
  EXPECT_THAT(conditions(shapes), ElementsAre(SizeCondition{"M % V == 0", "M % 48 == 0"},
                                              SizeCondition{"M % V == 0", "M == N"}));
}

TEST(SizeGuards, WhatCannotBeAskedNeverHolds) {
  EXPECT_THAT(
      conditions({{{{"N", 96}}, {"96 in (96, 2 * V)"}}, {{{"N", 64}}, {"64 in (96, 2 * V)"}}}),
      ElementsAre(SizeCondition{"N in (96, 2 * V)", ""}));
  EXPECT_THAT(conditions({{{{"N", 96}}, {"95 % V == 0"}}, {{{"N", 64}}, {"63 % V == 0"}}}),
              ElementsAre(SizeCondition{"95 % V == 0", ""}))
      << "no size has these numbers";
  EXPECT_THAT(conditions({{{{"N", 96}}, {"V > 1"}}, {{{"N", 64}}, {}}}),
              ElementsAre(::testing::Field(&SizeCondition::holds, "")));
}

TEST(SizeGuards, HaveTheWholeNumbersOfAConfiguration) {
  const std::vector<CandidateGuard> guards = guards_of({{{{"N", 96}}, {}}}, kCandidates);
  EXPECT_THAT(guards[1].values, ElementsAre(48));
  EXPECT_THAT(guards[2].values, IsEmpty());
  EXPECT_THAT(guards_of({}, kCandidates), ::testing::SizeIs(3));
}

}  // namespace
}  // namespace nightshift::search
