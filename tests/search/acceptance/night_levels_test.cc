#include "search/acceptance/night_levels.h"

#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

TEST(NightLevels, TheirSumIsTheTotalHoweverManyCome) {
  for (const std::uint64_t expected : {0, 1, 20, 500}) {
    double sum = 0;
    for (std::uint64_t number = 1; number <= 1'000'000; ++number) {
      sum += night_level(0.01, number, expected);
      ASSERT_LE(sum, 0.01 * (1 + 1e-9));
    }
    EXPECT_GT(sum, 0.01 * 0.9999) << expected;
  }
}

TEST(NightLevels, ThoseThatAreExpectedShareEqually) {
  EXPECT_DOUBLE_EQ(night_level(0.01, 1, 500), 0.01 * 0.9 / 500);
  EXPECT_DOUBLE_EQ(night_level(0.01, 500, 500), 0.01 * 0.9 / 500);
}

TEST(NightLevels, OneMoreThanExpectedStillHasAFairLevel) {
  EXPECT_DOUBLE_EQ(night_level(0.01, 501, 500), 0.01 * 0.1 / 2);
  EXPECT_DOUBLE_EQ(night_level(0.01, 502, 500), 0.01 * 0.1 / 6);
}

}  // namespace
}  // namespace nightshift::search
