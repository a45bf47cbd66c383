#include "search/figures/unit_words.h"

#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

TEST(UnitWords, LookLikeUnitsKnownOrNot) {
  for (const char* word : {"ms", "US", "parsecs", "tok/s", "k", "GB/s", "gigahertz", "Mbit", "qps",
                           "\u00b0C", "ms\u00b2", "million"}) {
    EXPECT_TRUE(looks_like_unit(word)) << word;
  }
  for (const char* word : {"", "iterations", "done", "x", "A", "and/or", "foo"}) {
    EXPECT_FALSE(looks_like_unit(word)) << word;
  }
}

TEST(UnitWords, FactorsAndSharesAreWithoutDimension) {
  for (const char* word : {"x", "X", "%", "percent", "\u00d7"}) {
    EXPECT_TRUE(is_without_dimension(word)) << word;
  }
  EXPECT_FALSE(is_without_dimension("ms"));
}

}  // namespace
}  // namespace nightshift::search
