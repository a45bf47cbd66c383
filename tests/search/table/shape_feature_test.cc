#include "search/table/shape_feature.h"

#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

using Kind = ShapeFeature::Kind;
const Sizes kSizes{{"M", 96}, {"N", 128}};
const std::vector<std::string> kNames{"M", "N"};

TEST(ShapeFeature, ValuesAndWords) {
  const struct {
    ShapeFeature feature;
    double value;
    const char* words;
  } cases[] = {
      {{Kind::kSize, 0, 0, 1}, 96, "M"},
      {{Kind::kProduct, 0, 1, 1}, 12288, "M * N"},
      {{Kind::kTiles, 0, 1, 64}, 4, "tiles of 64 x 64 over M and N"},
      {{Kind::kDivisible, 0, 0, 32}, 1, "M % 32 == 0"},
      {{Kind::kDivisible, 0, 0, 64}, 0, "M % 64 == 0"},
      {{Kind::kPowerOfTwo, 0, 0, 1}, 0, "M is a power of two"},
      {{Kind::kPowerOfTwo, 1, 1, 1}, 1, "N is a power of two"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(value_of(c.feature, kSizes), c.value) << c.words;
    EXPECT_EQ(describe(c.feature, kNames), c.words);
  }
}

TEST(ShapeFeature, LargeSizesDoNotOverflow) {
  const std::int64_t large = std::int64_t{1} << 53;
  const Sizes sizes{{"M", large}, {"N", large}};
  EXPECT_EQ(value_of({Kind::kProduct, 0, 1, 1}, sizes),
            static_cast<double>(large) * static_cast<double>(large));
  EXPECT_GT(value_of({Kind::kTiles, 0, 1, 128}, sizes), 0);
}

TEST(ShapeFeature, OneSizeHasNoPairs) {
  for (const ShapeFeature& feature : features_of(1)) {
    EXPECT_NE(feature.kind, Kind::kProduct);
    EXPECT_EQ(feature.first, 0U);
  }
  EXPECT_GT(features_of(3).size(), 3 * features_of(1).size());
}

}  // namespace
}  // namespace nightshift::search
