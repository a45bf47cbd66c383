#include "tools/collect/unfit_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace nightshift::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::Le;

Positions first(std::size_t count) {
  Positions all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

bool has(const Positions& group, std::size_t one) {
  return std::ranges::find(group, one) != group.end();
}

TEST(UnfitGroup, OneAmongManyIsFoundByHalves) {
  std::size_t asked = 0;
  const auto stands = [&](const Positions& group) {
    ++asked;
    return !has(group, 13);
  };
  EXPECT_THAT(unfit_of(first(32), stands), ElementsAre(13));
  EXPECT_THAT(asked, Le(11));  // two for each halving, and the rest
}

TEST(UnfitGroup, SeveralAreFoundWhereverTheyStand) {
  const auto stands = [](const Positions& group) {
    return !has(group, 0) && !has(group, 6) && !has(group, 7);
  };
  EXPECT_THAT(unfit_of(first(8), stands), ElementsAre(0, 6, 7));
}

TEST(UnfitGroup, OfTwoThatDoNotStandEachOtherNoneIsLeft) {
  const auto stands = [](const Positions& group) { return !(has(group, 0) && has(group, 1)); };
  EXPECT_THAT(unfit_of(first(2), stands), ElementsAre(0, 1));
}

TEST(UnfitGroup, APairBehindASingleOneIsFoundAsWell) {
  const auto stands = [](const Positions& group) {
    return !has(group, 3) && !(has(group, 0) && has(group, 2));
  };
  const Positions found = unfit_of(first(4), stands);
  EXPECT_TRUE(has(found, 3));
  Positions rest = first(4);
  std::erase_if(rest, [&](std::size_t one) { return has(found, one); });
  EXPECT_TRUE(rest.empty() || stands(rest));
}

TEST(UnfitGroup, OfOneAloneNothingIsAsked) {
  EXPECT_THAT(unfit_of({4},
                       [](const Positions&) {
                         ADD_FAILURE() << "it is known";
                         return true;
                       }),
              ElementsAre(4));
}

TEST(UnfitGroup, WhereNothingIsStoodAllGoes) {
  EXPECT_THAT(unfit_of(first(3), [](const Positions&) { return false; }), ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace nightshift::tools
