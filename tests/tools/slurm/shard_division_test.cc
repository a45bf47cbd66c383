#include "tools/slurm/shard_division.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::tools {
namespace {

using ::testing::ElementsAre;
using Studies = std::vector<ShardedStudy>;

TEST(ShardDivision, TheLongestGoFirstToTheShardWithTheLeast) {
  const Studies studies = {{1, {}, {}}, {5, {}, {}}, {4, {}, {}}, {3, {}, {}}, {2, {}, {}}};
  EXPECT_THAT(divide(studies, 2), ElementsAre(0, 0, 1, 1, 0));
}

TEST(ShardDivision, OneShardHasAll) {
  EXPECT_THAT(divide(Studies{{1, {}, {}}, {2, {}, {}}}, 1), ElementsAre(0, 0));
  EXPECT_TRUE(divide({}, 3).empty());
}

TEST(ShardDivision, WhatComesAfterOneAnotherStaysTogether) {
  const Studies studies = {{9, {}, {}}, {1, {2}, {}}, {1, {}, {}}, {8, {1}, {}}, {2, {}, {}}};
  const auto shards = divide(studies, 2);
  EXPECT_EQ(shards[1], shards[2]);
  EXPECT_EQ(shards[1], shards[3]);
  EXPECT_NE(shards[0], shards[1]);
  EXPECT_EQ(shards[4], shards[0]);
}

TEST(ShardDivision, WhatHasAPlaceKeepsIt) {
  const Studies studies = {{9, {}, 1}, {9, {}, 1}, {1, {}, {}}, {1, {}, 7}};
  EXPECT_THAT(divide(studies, 2), ElementsAre(1, 1, 0, 0));
}

}  // namespace
}  // namespace nightshift::tools
