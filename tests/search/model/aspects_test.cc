#include "search/model/aspects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/search/spaces.h"

namespace nightshift::search {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::Lt;

std::vector<std::string> names_of(const Aspects& aspects) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < aspects.size(); ++k) names.push_back(aspects[k].name);
  return names;
}

std::vector<std::uint8_t> levels_of(const Aspects& aspects, std::vector<std::uint32_t> digits) {
  std::vector<std::uint8_t> levels(aspects.size());
  aspects.levels(digits, levels);
  return levels;
}

TEST(Aspects, AParameterOfOneValueIsNone) {
  const ParameterSpace space = space_of({integers("a", {7}), integers("b", {1, 2})});
  const Aspects aspects(space);
  EXPECT_THAT(names_of(aspects), ElementsAre("b"));
  EXPECT_THAT(levels_of(aspects, {0, 1}), ElementsAre(1));
}

TEST(Aspects, NumbersThatSpanAFactorOfFourLieOnALogarithmicScale) {
  const ParameterSpace space =
      space_of({integers("wide", {1, 2, 4}), integers("narrow", {2, 3, 4})});
  const Aspects aspects(space);
  EXPECT_THAT(aspects[0].coordinates, ElementsAre(0, DoubleEq(0.5), 1));
  EXPECT_THAT(aspects[1].coordinates, ElementsAre(0, DoubleEq(0.5), 1));
  const ParameterSpace steps = space_of({integers("steps", {1, 2, 3, 16})});
  EXPECT_THAT(Aspects(steps)[0].coordinates, ElementsAre(0, DoubleEq(0.25), Lt(0.5), 1));
}

TEST(Aspects, TextsAndBooleansHaveNoOrder) {
  const ParameterSpace space = space_of(
      {parameter_of("layout", {"row", "column", "tiled"}), parameter_of("padded", {false, true})});
  const Aspects aspects(space);
  EXPECT_FALSE(aspects[0].ordered);
  EXPECT_FALSE(aspects[1].ordered);
  EXPECT_EQ(aspects[0].coordinates.size(), 3U);
}

TEST(Aspects, AMixOfPowersOfTwoAndOthersHasItsDivisibilityAsWell) {
  const ParameterSpace space = space_of({integers("block", {16, 48, 64, 80})});
  const Aspects aspects(space);
  ASSERT_THAT(names_of(aspects),
              ElementsAre("block", "powers of two in block", "block is a power of two"));
  // 16 = 2^4, 48 = 3 * 2^4, 64 = 2^6, 80 = 5 * 2^4
  EXPECT_THAT(levels_of(aspects, {0}), ElementsAre(0, 0, 1));
  EXPECT_THAT(levels_of(aspects, {1}), ElementsAre(1, 0, 0));
  EXPECT_THAT(levels_of(aspects, {2}), ElementsAre(2, 1, 1));
  EXPECT_THAT(levels_of(aspects, {3}), ElementsAre(3, 0, 0));
}

TEST(Aspects, PowersOfTwoAloneHaveNoSuchAspects) {
  const ParameterSpace space = space_of({integers("block", {16, 32, 64, 128})});
  EXPECT_EQ(Aspects(space).size(), 1U);
  EXPECT_FALSE(mixes_powers_of_two(space.parameters()[0]));
}

TEST(Aspects, TheProductOfAFamilyIsOne) {
  const ParameterSpace space =
      space_of({integers("block_x", {1, 2, 4}), integers("tile_y", {3, 5, 7}),
                integers("block_y", {1, 2, 4}), integers("MWG", {16, 32, 64}),
                integers("NWG", {16, 32, 64}), integers("flag_x", {0, 1, 2})});
  const Aspects aspects(space);
  EXPECT_THAT(names_of(aspects), ElementsAre("block_x", "tile_y", "block_y", "MWG", "NWG", "flag_x",
                                             "block_x * block_y", "MWG * NWG"));
  const std::vector<std::uint8_t> wide = levels_of(aspects, {2, 0, 0, 0, 2, 0});
  const std::vector<std::uint8_t> tall = levels_of(aspects, {0, 0, 2, 2, 0, 0});
  const std::vector<std::uint8_t> square = levels_of(aspects, {1, 0, 1, 1, 1, 0});
  EXPECT_EQ(wide[6], 2);  // products 1 2 4 8 16
  EXPECT_EQ(tall[6], wide[6]);
  EXPECT_EQ(square[6], wide[6]);
  EXPECT_EQ(square[7], wide[7]);
}

TEST(Aspects, LongListsAreBinned) {
  Parameter many = parameter_of("many", {});
  for (std::int64_t v = 1; v <= 1000; ++v) many.values.emplace_back(v);
  const ParameterSpace space = space_of({many});
  const Aspects aspects(space);
  std::uint8_t last = 0;
  for (std::uint32_t d = 0; d < 1000; ++d) {
    const std::uint8_t level = levels_of(aspects, {d})[0];
    EXPECT_GE(level, last);
    last = level;
  }
  EXPECT_EQ(last + 1U, aspects[0].coordinates.size());
  EXPECT_LE(aspects[0].coordinates.size(), Aspects::kMaxLevels);
  EXPECT_GT(aspects[0].coordinates.size(), 20U);
}

}  // namespace
}  // namespace nightshift::search
