#include "search/table/shapes_between.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::int64_t> between(const std::vector<std::int64_t>& sizes, std::size_t most = 100) {
  std::vector<TableShape> shapes;
  for (const std::int64_t n : sizes) shapes.push_back({{{"N", n}}, 1});
  std::vector<std::int64_t> found;
  for (const Sizes& one : shapes_between(shapes, most)) found.push_back(one.front().second);
  return found;
}

TEST(ShapesBetween, AreGeometricMiddlesThatKeepTheDivisors) {
  EXPECT_THAT(between({64, 256}), ElementsAre(128));
  EXPECT_THAT(between({96, 192}), ElementsAre(128));   // 135.8 in steps of 32
  EXPECT_THAT(between({100, 300}), ElementsAre(172));  // 173.2 in steps of 4
}

TEST(ShapesBetween, TheFarthestFromWhatWasMeasuredComeFirst) {
  EXPECT_THAT(between({64, 128, 2048, 65536}), ElementsAre(12288, 512));
}

TEST(ShapesBetween, NoneIsMeasuredOrTwice) {
  EXPECT_THAT(between({1, 2, 4}), IsEmpty());
  EXPECT_THAT(between({64}), IsEmpty());
  EXPECT_THAT(between({64, 256, 1000, 4000}, 1), ::testing::SizeIs(1));
}

}  // namespace
}  // namespace nightshift::search
