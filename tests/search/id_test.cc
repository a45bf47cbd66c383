#include "search/id.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <unordered_set>

#include "base/wide.h"

namespace nightshift::search {
namespace {

TEST(Id, IndicesThatDifferInTheHighHalfOnlyAreHashedApart) {
  std::unordered_set<std::size_t> hashes;
  for (base::Wide high = 0; high < 100; ++high) {
    hashes.insert(std::hash<ConfigurationIndex>()(ConfigurationIndex{high << 64 | 5}));
  }
  EXPECT_EQ(hashes.size(), 100U);
}

}  // namespace
}  // namespace nightshift::search
