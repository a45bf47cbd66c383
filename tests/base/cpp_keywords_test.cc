#include "base/cpp_keywords.h"

#include <gtest/gtest.h>

namespace nightshift::base {
namespace {

TEST(CppKeywords, AreTold) {
  for (const char* word : {"alignas", "char8_t", "co_yield", "int", "restrict", "xor_eq"}) {
    EXPECT_TRUE(is_cpp_keyword(word)) << word;
  }
  for (const char* word : {"", "Int", "N", "threadIdx", "zebra"}) {
    EXPECT_FALSE(is_cpp_keyword(word)) << word;
  }
}

}  // namespace
}  // namespace nightshift::base
